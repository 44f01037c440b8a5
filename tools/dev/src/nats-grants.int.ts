import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import type { RpcDefinition } from '@switchboard/contracts/grammar/define-rpc';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import type { ConsumerTopology } from '@switchboard/contracts/consumers';
import {
  administratorOf,
  connectNats,
  EventPublisher,
  IncarnationMirror,
  LinkState,
  natsAccounts,
  type NatsConnection,
  natsUsers,
  provision,
  PROVISIONER,
  PullConsumer,
  RpcClient,
  WakeUps,
} from '@switchboard/nats';
import { eventually, testServers } from '@switchboard/testing';
import { type DeployedNats, startDeployedNats } from '../test/deployed-nats.js';
import {
  covers,
  dangerousToPublish,
  dangerousToSubscribe,
  type NatsRight,
  nameOfUse,
  rightsOf,
  subjectIn,
  usesOfTopology,
} from '../test/nats-rights.js';
import { composeNatsConfig, natsAdmin } from './nats-access.js';
import { Secrets } from './secrets.js';

const servers = testServers();
/** For an answer that comes: the client's own second is short on a busy machine. */
const PATIENT = { timeout: 30_000 };
const users = natsUsers().map(({ user }) => user);
const services = users.filter((user) => user !== PROVISIONER);
const uses = usesOfTopology();
const rights = uses.flatMap(rightsOf);
const PASSWORD = 'secret';
const PROBED = { number: 1, token: 'probe', consumerEpoch: 0, timeline: 1 };

let nats: DeployedNats;

/** A user's connection with every violation that the server reported to it, as `publish <subject>`. */
interface Watched {
  readonly connection: NatsConnection;
  readonly violations: Set<string>;
}

async function connect(user: string): Promise<Watched> {
  const violations = new Set<string>();
  const onStatus = (_status: string, detail: string): void => {
    const [, operation, subject] = /Violation for (Publish|Subscription) to "([^"]*)"/i.exec(detail) ?? [];
    if (operation) violations.add(`${operation === 'Publish' ? 'publish' : 'subscribe'} ${subject}`);
  };
  const connection = await connectNats({ url: nats.url, user, password: PASSWORD, onStatus });
  servers.onEnd(() => connection.close());
  return { connection, violations };
}

describe('on the server of deploy/nats/nats.conf', () => {
  const connections = new Map<string, Watched>();
  const of = (user: string): Watched => {
    const found = connections.get(user);
    if (!found) throw new Error(`no connection of the user ${user}`);
    return found;
  };

  beforeAll(async () => {
    const passwords = users.map((user) => [`NATS_${user.toUpperCase()}_PASSWORD`, `"${PASSWORD}"`] as const);
    nats = await startDeployedNats(Object.fromEntries(passwords), servers.onEnd);
    for (const user of users) connections.set(user, await connect(user));
    await provision(of(PROVISIONER).connection, 1);
  });

  it.each(uses.map((use) => [nameOfUse(use), use] as const))('%s', async (_name, use) => {
    if (use.kind === 'tell') await tell(of(use.service).connection, use.service);
    if (use.kind === 'wake') await wake(of(use.service).connection, of(use.woken).connection, use);
    if (use.kind === 'mirror') await mirror(of(use.service).connection, use.service);
    if (use.kind === 'call') await call(of(use.caller).connection, of(use.server).connection, use.rpc);
    if (use.kind === 'announce') await announce(of(use.server).connection, of(use.caller).connection, use.subject);
    if (use.kind === 'consume') await consume(of(use.service).connection, use.consumer);
    if (use.kind === 'provision') await provision(of(PROVISIONER).connection, 1);
    for (const { violations } of connections.values()) expect([...violations]).toEqual([]);
  });

  it.each(natsUsers())('$user has no right but those that were just used', ({ user, permissions }) => {
    const used = (wanted: string): string[] => [
      ...new Set(rights.flatMap((one) => (one.user === user && one.operation === wanted ? one.pattern : []))),
    ];
    expect([...permissions.publish].sort()).toEqual(used('publish').sort());
    expect([...permissions.subscribe].sort()).toEqual(used('subscribe').sort());
  });

  it.each(users)("%s is refused what is any other user's, and what no user may", async (user) => {
    const { connection, violations } = await connect(user);
    const own = rights.filter((right) => right.user === user);
    const isOwn = (operation: string, subject: string): boolean =>
      own.some((right) => right.operation === operation && covers(right.pattern, subject));
    const probed = probes().filter(({ operation, subject }) => !isOwn(operation, subject));
    for (const { operation, subject } of probed) {
      if (operation === 'publish') connection.publish(subject, '{}');
      else connection.subscribe(subject, { callback: () => undefined });
    }
    await connection.flush();
    const refused = await eventually(() => {
      const silent = probed.filter(({ operation, subject }) => !violations.has(`${operation} ${subject}`));
      if (silent.length > 0) throw new Error(`not refused: ${JSON.stringify(silent)}`);
      return probed.length;
    });
    expect(refused).toBeGreaterThan(80);
  });

  it.each(users)('%s cannot take requests away from the service that answers them', async (user) => {
    const { connection, violations } = await connect(user);
    const foreign = uses.flatMap((use) => (use.kind === 'call' && use.server !== user ? [use] : []));
    for (const { server, rpc } of foreign) {
      connection.subscribe(rpc.subject, { queue: server, callback: () => undefined });
    }
    await connection.flush();
    await eventually(() => foreign.every(({ rpc }) => violations.has(`subscribe ${rpc.subject}`)));
  });

  it.each(services)(
    '%s has the server publish its answers nowhere, by a reply subject of another service',
    async (user) => {
      const streams = uses.flatMap((use) => (use.kind === 'tell' ? [use] : []));
      for (const { service } of streams) await tell(of(service).connection, service);
      for (const service of services) await mirror(of(service).connection, service);
      const others = services.filter((service) => service !== user);
      const before = await contentOf(others, of(PROVISIONER).connection);
      const { connection } = await connect(user);
      const purges = streams.map(({ stream }) => `$JS.API.STREAM.PURGE.${stream}`);
      const targets = [...others.flatMap((other) => [`${other}.forged.v1`, `incarnation.${other}`]), ...purges];
      const answered = answeredByServer(user);
      for (const reply of targets)
        for (const { subject, body } of answered) connection.publish(subject, body, { reply });
      // What the server was asked before has been answered when these are.
      for (const { subject, body } of answered) await connection.request(subject, body, { ...PATIENT, noMux: true });
      expect(await contentOf(others, of(PROVISIONER).connection)).toEqual(before);
    },
  );

  it('no header of a publisher can empty a stream', async () => {
    const streams = uses.flatMap((use) => (use.kind === 'tell' ? [use.stream] : []));
    for (const stream of ['INCARNATIONS', ...streams]) {
      const info = await of(PROVISIONER).connection.request(`$JS.API.STREAM.INFO.${stream}`, '', { timeout: 20_000 });
      expect(info.json()).toMatchObject({ config: { allow_rollup_hdrs: false } });
    }
  });
});

describe('the local run', () => {
  it('has the same accounts with the same users, and in addition an administrator in each', async () => {
    const secrets = await Secrets.open('/dev/null');
    const config = composeNatsConfig(secrets);
    const [, json = ''] = /^accounts: (\{[\s\S]*?^\})/m.exec(config) ?? ['', ''];
    const of = (user: string): string => secrets.password(`nats ${user}`);
    const deployed = Object.entries(natsAccounts({ of })).map(([name, account]) => {
      const administrator = { user: administratorOf(name), password: of(natsAdmin) };
      return [name, { ...account, users: [...account.users, administrator] }] as const;
    });
    expect(JSON.parse(json)).toEqual(Object.fromEntries(deployed));
  });
});

/** What the server itself answers of all that a service may publish. */
function answeredByServer(user: string): { subject: string; body: string }[] {
  const own = rights.filter((right) => right.user === user && right.operation === 'publish');
  const patterns = [...new Set(own.map(({ pattern }) => pattern))];
  const isAnswered = (pattern: string): boolean =>
    pattern.startsWith('$JS.') || pattern === `${user}.>` || pattern === `incarnation.${user}`;
  return patterns.filter(isAnswered).map((pattern) => {
    const subject = subjectIn(pattern);
    if (pattern.startsWith('$JS.ACK.')) return { subject, body: '+WPI' };
    if (pattern.startsWith('$JS.API.CONSUMER.MSG.NEXT.')) return { subject, body: '{"batch":1,"no_wait":true}' };
    return { subject, body: pattern.startsWith('$JS.') ? '' : JSON.stringify(PROBED) };
  });
}

/** Of each service, what its stream holds, and the place of its incarnation. */
async function contentOf(names: readonly string[], connection: NatsConnection): Promise<unknown[]> {
  return Promise.all(
    names.map(async (service) => {
      const info = await connection.request(`$JS.API.STREAM.INFO.${service.toUpperCase()}`, '', PATIENT);
      const { state } = info.json<{ state?: Record<'messages' | 'first_seq' | 'last_seq', number> }>();
      const query = JSON.stringify({ last_by_subj: `incarnation.${service}` });
      const last = await connection.request('$JS.API.STREAM.MSG.GET.INCARNATIONS', query, PATIENT);
      const { message } = last.json<{ message: { seq: number } }>();
      return { service, state: [state?.messages, state?.first_seq, state?.last_seq], incarnation: message.seq };
    }),
  );
}

/** Every user's every right, and what is dangerous for anybody. */
function probes(): Omit<NatsRight & { subject: string }, 'user' | 'pattern'>[] {
  const subjects = (operation: string): string[] =>
    rights.flatMap((right) => (right.operation === operation ? [right.pattern] : []));
  // What others consume of a stream lies within what its owner emits.
  const filters = uses.flatMap((use) => (use.kind === 'consume' ? [use.consumer.filter] : []));
  const patterns = [...subjects('publish'), ...subjects('subscribe'), ...filters];
  const publish = new Set([...patterns.map(subjectIn), ...dangerousToPublish()]);
  const subscribe = new Set([...patterns, ...patterns.map(subjectIn), ...dangerousToSubscribe()]);
  return [
    ...[...publish].map((subject) => ({ operation: 'publish', subject }) as const),
    ...[...subscribe].map((subject) => ({ operation: 'subscribe', subject }) as const),
  ];
}

async function tell(connection: NatsConnection, service: string): Promise<void> {
  const event = { id: 'cprobe', subject: `${service}.probe.v1`, payload: '{}', traceparent: null };
  const publisher = new EventPublisher(connection, service);
  await publisher.publish(event);
  expect((await publisher.streamState())?.lastSequence).toBeGreaterThan(0);
}

async function wake(
  waking: NatsConnection,
  listening: NatsConnection,
  { service, woken }: { readonly service: string; readonly woken: string },
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = new WakeUps(listening, new LinkState(listening), service, woken).listen(() => resolve());
  await listening.flush();
  new WakeUps(waking, new LinkState(waking), service, woken).send();
  await promise;
  end();
}

async function mirror(connection: NatsConnection, service: string): Promise<void> {
  const own = new IncarnationMirror(connection, service);
  const before = await own.read();
  const sequence = await own.write(PROBED, before?.sequence ?? 0);
  expect(await own.read()).toEqual({ ...PROBED, sequence });
}

async function call(caller: NatsConnection, server: NatsConnection, rpc: RpcDefinition): Promise<void> {
  const serving = server.subscribe(rpc.subject, {
    queue: rpc.owner,
    callback: (_error, message) => void message.respond(JSON.stringify({ ok: rpc.subject })),
  });
  await server.flush();
  const patient = { deadlineMs: PATIENT.timeout };
  expect(await new RpcClient(caller).call(rpc, systemPrincipal('corg', 'test'), {}, patient)).toBe(rpc.subject);
  serving.unsubscribe();
}

async function announce(server: NatsConnection, caller: NatsConnection, subject: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<string>();
  caller.subscribe(subject, { max: 1, callback: (_error, message) => resolve(message.string()) });
  await caller.flush();
  server.publish(subject, 'here');
  expect(await promise).toBe('here');
}

/** The stream's owner emits the event; once it is acknowledged nothing waits any more. */
async function consume(connection: NatsConnection, consumer: ConsumerTopology): Promise<void> {
  const subject = subjectIn(consumer.filter);
  const service = subject.split('.')[0] ?? '';
  const owner = await connect(service);
  const envelope = { id: `cprobe-${consumer.name}`, subject };
  await new EventPublisher(owner.connection, service).publish({
    ...envelope,
    payload: JSON.stringify(envelope),
    traceparent: null,
  });
  const heard: Pick<EventEnvelope, 'id' | 'subject'>[] = [];
  const pulling = new PullConsumer({
    connection,
    consumer,
    batchMax: 10,
    handle: async (events) => events.map((event) => (heard.push(event.envelope), { ack: true })),
    onMalformed: () => undefined,
    onError: () => undefined,
  });
  pulling.start();
  await eventually(() => heard.some(({ id }) => id === envelope.id));
  const { connection: looking } = await connect(PROVISIONER);
  await eventually(async () => {
    const info = await looking.request(`$JS.API.CONSUMER.INFO.${consumer.stream}.${consumer.name}`);
    const { num_pending, num_ack_pending } = info.json<{ num_pending: number; num_ack_pending: number }>();
    return num_pending === 0 && num_ack_pending === 0;
  });
  await pulling.stop();
  // The spare has what was emitted for the durable in use as well. Filters of two consumers may overlap: each gets the other's
  // probe too.
  const names = new Set([consumer.name.replace(/-anew$/, ''), consumer.name]);
  const own = [...names].map((name) => ({ id: `cprobe-${name}`, subject }));
  expect(heard.filter(({ id }) => own.some((probe) => probe.id === id))).toEqual(own);
  const prefix = consumer.filter.replace(/>$/, '');
  expect(heard.filter((event) => !event.subject.startsWith(prefix))).toEqual([]);
}
