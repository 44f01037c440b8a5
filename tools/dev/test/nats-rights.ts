import type { RpcDefinition } from '@switchboard/contracts/grammar/define-rpc';
import { type ConsumerTopology } from '@switchboard/contracts/consumers';
import { topology, type ServiceTopology } from '@switchboard/contracts/topology';
import { durableNames, PROVISIONER } from '@switchboard/nats';

/** One way to use NATS, with the patterns that its users need for it; read from the topology, not from the permissions. */
export type NatsUse =
  | { readonly kind: 'tell'; readonly service: string; readonly stream: string }
  | { readonly kind: 'wake'; readonly service: string; readonly woken: string }
  | { readonly kind: 'mirror'; readonly service: string }
  | { readonly kind: 'call'; readonly caller: string; readonly server: string; readonly rpc: RpcDefinition }
  | { readonly kind: 'announce'; readonly caller: string; readonly server: string; readonly subject: string }
  | { readonly kind: 'consume'; readonly service: string; readonly consumer: ConsumerTopology }
  | { readonly kind: 'provision' };

/** A right of a user. */
export interface NatsRight {
  readonly user: string;
  readonly operation: 'publish' | 'subscribe';
  /** A subject, perhaps with `*` and `>`. */
  readonly pattern: string;
}

const services = Object.entries<ServiceTopology>(topology);

/** Everything that the topology says. */
export function usesOfTopology(): NatsUse[] {
  const uses = services.flatMap(([service, { stream, calls, consumes, wakes = [] }]): NatsUse[] => [
    { kind: 'mirror', service },
    ...(stream === null ? [] : [{ kind: 'tell', service, stream } as const]),
    ...[...(stream === null ? [] : [service]), ...wakes].map((woken) => ({ kind: 'wake', service, woken }) as const),
    ...calls.map((rpc) => ({ kind: 'call', caller: service, server: rpc.owner, rpc }) as const),
    ...[...new Set(calls.map(({ owner }) => owner))].map(
      (server) => ({ kind: 'announce', caller: service, server, subject: `announce.${server}.${service}` }) as const,
    ),
    ...durablesOf(consumes).map((consumer) => ({ kind: 'consume', service, consumer }) as const),
  ]);
  return [...uses, { kind: 'provision' }];
}

/** Each consumer under both of its names: one is in use, the other waits for a restore. */
function durablesOf(consumes: readonly ConsumerTopology[]): ConsumerTopology[] {
  return consumes.flatMap((consumer) => durableNames(consumer).map((name) => ({ ...consumer, name })));
}

/** What a use needs, and so all that anybody may have. Whoever publishes to JetStream hears from it in his inbox. */
export function rightsOf(use: NatsUse): NatsRight[] {
  const inboxOf = (user: string): NatsRight => ({ user, operation: 'subscribe', pattern: `_INBOX_${user}.>` });
  const publish = (user: string, pattern: string): NatsRight => ({ user, operation: 'publish', pattern });
  switch (use.kind) {
    case 'tell':
      return [
        publish(use.service, `${use.service}.>`),
        publish(use.service, `$JS.API.STREAM.INFO.${use.stream}`),
        inboxOf(use.service),
      ];
    case 'wake':
      return [
        publish(use.service, wakeSubjectOf(use)),
        { user: use.woken, operation: 'subscribe', pattern: wakeSubjectOf(use) },
      ];
    case 'mirror':
      return [
        publish(use.service, `incarnation.${use.service}`),
        publish(use.service, `$JS.API.DIRECT.GET.INCARNATIONS.incarnation.${use.service}`),
        inboxOf(use.service),
      ];
    case 'call':
      return [
        publish(use.caller, use.rpc.subject),
        inboxOf(use.caller),
        { user: use.server, operation: 'subscribe', pattern: use.rpc.subject },
        // The reply subject that the server makes up for a request of another account.
        publish(use.server, '_R_.>'),
      ];
    case 'announce':
      return [publish(use.server, use.subject), { user: use.caller, operation: 'subscribe', pattern: use.subject }];
    case 'consume':
      return [
        publish(use.service, `$JS.API.CONSUMER.MSG.NEXT.${use.consumer.stream}.${use.consumer.name}`),
        publish(use.service, `$JS.ACK.${use.consumer.stream}.${use.consumer.name}.>`),
        inboxOf(use.service),
      ];
    case 'provision':
      return [publish(PROVISIONER, '$JS.API.>'), inboxOf(PROVISIONER)];
  }
}

function wakeSubjectOf({ service, woken }: { readonly service: string; readonly woken: string }): string {
  return service === woken ? `wake.${service}` : `wake.${service}.${woken}`;
}

/** Whether a pattern takes in all of a subject, which may itself hold wildcards. Source: NATS documentation, "Subjects". */
export function covers(pattern: string, subject: string): boolean {
  const [wide, narrow] = [pattern.split('.'), subject.split('.')];
  for (const [index, token] of wide.entries()) {
    const other = narrow[index];
    if (token === '>') return other !== undefined;
    if (other === undefined || other === '>' || (token !== '*' && token !== other)) return false;
  }
  return wide.length === narrow.length;
}

/** A subject that a pattern takes in. */
export function subjectIn(pattern: string): string {
  if (pattern.startsWith('$JS.ACK.')) return pattern.replace('>', '1.1.1.1.0');
  return pattern.replace('>', 'probe.v1');
}

const streams = ['INCARNATIONS', ...services.flatMap(([, { stream }]) => stream ?? [])];
const consumers = services.flatMap(([, { consumes }]) => durablesOf(consumes));
const words = (text: string): string[] => text.split(' ');

/** Parts of JetStream's API: of the account, of a stream, of a consumer. Source: NATS documentation, "JetStream wire API". */
const accountApi = words('INFO ACCOUNT.INFO STREAM.NAMES STREAM.LIST STREAM.CREATE.INTRUDER META.LEADER.STEPDOWN');
const streamApi = words(
  'STREAM.CREATE STREAM.UPDATE STREAM.DELETE STREAM.PURGE STREAM.INFO STREAM.SNAPSHOT STREAM.RESTORE STREAM.MSG.GET ' +
    'STREAM.MSG.DELETE STREAM.LEADER.STEPDOWN STREAM.PEER.REMOVE DIRECT.GET CONSUMER.NAMES CONSUMER.LIST CONSUMER.CREATE',
);
const consumerApi = words(
  'CREATE DURABLE.CREATE DELETE INFO PAUSE UNPIN LEADER.STEPDOWN MSG.NEXT'.replace(/(?<=^| )/g, 'CONSUMER.'),
);

/** Subjects that only the provisioner may publish to, and the server's own that not even it may. */
export function dangerousToPublish(): string[] {
  const ofStream = (stream: string): string[] => [
    ...streamApi.map((verb) => `${verb}.${stream}`),
    `CONSUMER.CREATE.${stream}.intruder`,
    `CONSUMER.CREATE.${stream}.intruder.>`,
    `CONSUMER.DURABLE.CREATE.${stream}.intruder`,
    `CONSUMER.MSG.NEXT.${stream}.intruder`,
    `DIRECT.GET.${stream}.probe`,
  ];
  const ofConsumer = ({ stream, name }: ConsumerTopology): string[] =>
    consumerApi.map((verb) => `${verb}.${stream}.${name}`);
  const api = [...accountApi, ...streams.flatMap(ofStream), ...consumers.flatMap(ofConsumer)];
  return [
    ...api.map((subject) => `$JS.API.${subject}`),
    ...consumers.map(({ stream, name }) => `$JS.ACK.${stream}.${name}.1.1.1.1.0`),
    ...words('$JS.FC.probe $KV.bucket.key $O.bucket.C.probe $SRV.PING _INBOX.probe probe'),
    ...words('$SYS.REQ.SERVER.PING $SYS.REQ.ACCOUNT.PING.CONNZ $SYS.REQ.USER.INFO $SYS.REQ.SERVER.X.RELOAD'),
  ];
}

/** Patterns that would let somebody read what is not his. */
export function dangerousToSubscribe(): string[] {
  return [
    ...words(
      '> * *.> *.* *.*.* *.*.*.* rpc.> rpc.*.* announce.> announce.*.* wake.> wake.* wake.*.* incarnation.> incarnation.* _INBOX.> _INBOX*.> *.probe.v1',
    ),
    ...words('$JS.> $JS.API.> $JS.ACK.> $JS.EVENT.> $JS.EVENT.ADVISORY.> $SYS.> $KV.> $O.> $SRV.>'),
    ...services.flatMap(([service]) => [
      `${service}.>`,
      `rpc.${service}.>`,
      `rpc.${service}.*`,
      `_INBOX_${service}.*`,
      `incarnation.${service}`,
    ]),
  ];
}

/** A use as a sentence. */
export function nameOfUse(use: NatsUse): string {
  switch (use.kind) {
    case 'tell':
      return `${use.service} emits an event, learns that ${use.stream} has it, and looks at that stream`;
    case 'wake':
      return `${use.service} wakes the replicas of ${use.woken}`;
    case 'mirror':
      return `${use.service} mirrors its incarnation, and reads it`;
    case 'call':
      return `${use.caller} asks ${use.rpc.subject}, and is answered by ${use.server}`;
    case 'announce':
      return `${use.server} announces its address to ${use.caller}`;
    case 'consume':
      return `${use.service} pulls and acknowledges an event of ${use.consumer.stream} as ${use.consumer.name}`;
    case 'provision':
      return 'the provisioner makes streams and consumers, again';
  }
}
