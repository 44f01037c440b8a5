import { topology, type ServiceTopology } from '@switchboard/contracts/topology';
import { announcementSubject } from './direct-link/announcement.js';
import { durableNames } from './durable-names.js';
import { incarnationRequest, incarnationSubject } from './incarnation-mirror.js';
import { natsUsers, PROVISIONER, type NatsUser } from './nats-users.js';
import { wakeSubject } from './wake-ups.js';

/** The account that holds every stream and consumer. Each service has an account of its own name. */
export const BROKER_ACCOUNT = 'BROKER';

/** What an account lets others use. Source: NATS documentation, "Configuration", "Multi Tenancy using Accounts". */
export type NatsExport = { readonly accounts: readonly string[] } & (
  { readonly service: string; readonly response_type?: 'stream' } | { readonly stream: string }
);

/** What an account uses of another one. */
export type NatsImport =
  | { readonly service: { readonly account: string; readonly subject: string }; readonly to?: string }
  | { readonly stream: { readonly account: string; readonly subject: string } };

/** An account in the server's own format. */
export interface NatsAccount {
  readonly jetstream?: 'enabled';
  /** One without permissions has every right in its account. */
  readonly users: readonly {
    readonly user: string;
    readonly password: string;
    readonly permissions?: NatsUser['permissions'];
  }[];
  readonly exports: readonly NatsExport[];
  readonly imports: readonly NatsImport[];
}

/** How users sign in. */
export interface NatsPasswords {
  of(user: string): string;
  /** Of a user with every right in each account, for the developer's own tools and for tests; none without it. */
  readonly administrator?: string;
}

/** A subject that crosses from the accounts that use it into the one that answers it, or from its publisher to its consumers. */
interface Crossing {
  readonly kind: 'service' | 'stream';
  readonly subject: string;
  readonly owner: string;
  readonly users: readonly string[];
  /** Whether one request may have several answers, as a pull has. */
  readonly isInParts?: boolean;
}

/**
 * The JetStream API answers "not enabled" in an account without streams, before the broker's answer arrives, unless the
 * account imports this subject. Nothing answers what it is imported from.
 * Source: nats-server, `enableJetStreamInfoServiceImportOnly`.
 */
const ACCOUNT_INFO = '$JS.API.INFO';
const UNANSWERED = 'unanswered';

/** The administrator of an account: of the broker's by default. */
export function administratorOf(account: string = BROKER_ACCOUNT): string {
  return account === BROKER_ACCOUNT ? 'admin' : `admin-${account}`;
}

/**
 * The accounts of the server, by name.
 *
 * The server sends an answer to the reply subject that a request names, whoever may publish there. In an account of its own
 * a service can name no subject but those that it may use anyway: what leaves the account is imported subject by subject.
 */
export function natsAccounts(passwords: NatsPasswords): Readonly<Record<string, NatsAccount>> {
  const crossings = allCrossings();
  const services = Object.keys(topology);
  const accounts = [BROKER_ACCOUNT, ...services].map((name): [string, NatsAccount] => [
    name,
    {
      ...(name === BROKER_ACCOUNT && { jetstream: 'enabled' }),
      users: usersOf(name, passwords),
      exports: [
        ...(name === BROKER_ACCOUNT ? [{ service: UNANSWERED, accounts: services }] : []),
        ...crossings.filter(({ owner }) => owner === name).map(exportOf),
      ],
      imports: [
        ...(name === BROKER_ACCOUNT
          ? []
          : [{ service: { account: BROKER_ACCOUNT, subject: UNANSWERED }, to: ACCOUNT_INFO }]),
        ...crossings.filter(({ users }) => users.includes(name)).map(importOf),
      ],
    },
  ]);
  return Object.fromEntries(accounts);
}

function usersOf(account: string, { of, administrator }: NatsPasswords): NatsAccount['users'] {
  const isOf = ({ user }: NatsUser): boolean => user === (account === BROKER_ACCOUNT ? PROVISIONER : account);
  const users = natsUsers().filter(isOf);
  return [
    ...users.map(({ user, permissions }) => ({ user, password: of(user), permissions })),
    ...(administrator === undefined ? [] : [{ user: administratorOf(account), password: administrator }]),
  ];
}

function allCrossings(): Crossing[] {
  const services = Object.entries<ServiceTopology>(topology);
  return services.flatMap(([service, own]): Crossing[] => {
    const callersOf = (subject: string): string[] =>
      services.filter(([, { calls }]) => calls.some((rpc) => rpc.subject === subject)).map(([name]) => name);
    const callers = new Set(own.serves.flatMap(({ subject }) => callersOf(subject)));
    const broker = (subject: string, answers: Pick<Crossing, 'isInParts'> = {}): Crossing => {
      return { kind: 'service', subject, owner: BROKER_ACCOUNT, users: [service], ...answers };
    };
    const heard = (subject: string, by: string): Crossing => {
      return { kind: 'stream', subject, owner: service, users: [by] };
    };
    return [
      ...(own.stream ? [broker(`${service}.>`), broker(`$JS.API.STREAM.INFO.${own.stream}`)] : []),
      broker(incarnationSubject(service)),
      broker(incarnationRequest(service)),
      ...own.consumes.flatMap((consumer) =>
        durableNames(consumer).flatMap((name) => [
          broker(`$JS.API.CONSUMER.MSG.NEXT.${consumer.stream}.${name}`, { isInParts: true }),
          broker(`$JS.ACK.${consumer.stream}.${name}.>`),
        ]),
      ),
      ...own.serves.flatMap(({ subject, inParts }): Crossing[] => {
        const users = callersOf(subject);
        return users.length > 0 ? [{ kind: 'service', subject, owner: service, users, isInParts: inParts }] : [];
      }),
      ...[...callers].map((caller) => heard(announcementSubject(service, caller), caller)),
      ...(own.wakes ?? []).map((woken) => heard(wakeSubject(service, woken), woken)),
    ];
  });
}

function exportOf({ kind, subject, users, isInParts }: Crossing): NatsExport {
  if (kind === 'stream') return { stream: subject, accounts: users };
  return { service: subject, accounts: users, ...(isInParts && { response_type: 'stream' as const }) };
}

function importOf({ kind, subject, owner }: Crossing): NatsImport {
  const from = { account: owner, subject };
  return kind === 'stream' ? { stream: from } : { service: from };
}
