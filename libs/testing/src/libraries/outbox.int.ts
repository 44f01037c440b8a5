import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { messagingContactsConsumer } from '@switchboard/contracts/consumers';
import { EventPublisher, PullConsumer } from '@switchboard/nats';
import {
  appendEvents,
  buryEvent,
  deadLetterCounts,
  outboxBacklog,
  Relay,
  type NewEvent,
  type RelayOptions,
  type RelayReport,
} from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';
import { eventually, testServers, type ServiceDatabase, type TestNats } from '../index.js';
import {
  appendNow,
  brokerThrough,
  delivered,
  effectsConsumer,
  eventOf,
  nextSequence,
  Outbox1764000000000,
  unpublished,
} from './outbox-fixture.js';

const servers = testServers();

const sleep = statement('t.sleep', 'SELECT pg_sleep($1)');
/** What not to do: takes what is beyond the last id seen, and so never sees what commits behind it. */
const beyond = statement<{ id: string }>('t.beyond', 'SELECT id FROM outbox WHERE id > $1 ORDER BY id LIMIT 1000');

let prepared: ServiceDatabase;
let database: Database;
let nats: TestNats;
beforeAll(async () => {
  prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  database = await prepared.database();
  nats = await servers.nats();
});

async function startRelay(options: Partial<RelayOptions> & Pick<RelayOptions, 'broker'>): Promise<Relay> {
  const own = await prepared.database();
  const relay = new Relay({
    database: own,
    service: 'contacts',
    report: () => undefined,
    batchMax: 20,
    pollIntervalMs: 20,
    ...options,
  });
  relay.start();
  servers.onEnd(() => relay.stop());
  return relay;
}

async function append(...events: readonly NewEvent<unknown>[]): Promise<void> {
  await database.transaction(async (tx) => appendEvents(tx, events));
}

function expectOrder(heard: readonly EventEnvelope[]): void {
  for (const [aggregateId, events] of Map.groupBy(heard, (envelope) => envelope.aggregateId)) {
    const sequences = events.map(({ sequence }) => sequence);
    expect([aggregateId, sequences]).toEqual([aggregateId, events.map((_event, n) => n + 1)]);
  }
}

const drained = (): Promise<boolean> => eventually(async () => (await database.query(unpublished, []))[0]?.n === 0);

describe('the outbox', () => {
  it('loses nothing of 16 writers whose commits overtake each other, keeps each aggregate in order, and doubles nothing; a poller of «id beyond the last» loses', async () => {
    const publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
    const heard: EventEnvelope[] = [];
    const consumer = new PullConsumer({
      connection: await nats.connect('messaging'),
      consumer: messagingContactsConsumer,
      batchMax: 100,
      handle: async (events) => events.map(({ envelope }) => (heard.push(envelope), { ack: true })),
      onMalformed: (_subject, error) => expect(error).toBeUndefined(),
      onError: () => undefined,
    });
    consumer.start();
    servers.onEnd(() => consumer.stop());
    // Two relays, as two replicas have; some publications are lost before they arrive, some answers after.
    let publications = 0;
    const broker = brokerThrough(publisher, async (event) => {
      const n = ++publications;
      if (n % 50 === 0) throw new Error('not published');
      const ack = await publisher.publish(event);
      if (n % 70 === 0) throw new Error('the answer was lost');
      return ack;
    });
    const relays = [await startRelay({ broker }), await startRelay({ broker })];
    const naive = new NaivePoller(await prepared.database({ poolMax: 1 }));
    naive.start();

    // One commit that the poller has passed by for certain.
    const [appended, passed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = database.transaction(async (tx) => {
      appendNow(tx, [eventOf('late', 1)]);
      appended.resolve();
      await passed.promise;
      await tx.query(sleep, [0]);
    });
    await appended.promise;
    await append(eventOf('early', 1));
    await eventually(() => naive.seen.size === 1);
    passed.resolve();
    await late;

    const writers = await Promise.all(Array.from({ length: 16 }, () => prepared.database({ poolMax: 1 })));
    const writes = writers.map(async (own, writer) => {
      for (let n = 0; n < 12; n++) {
        await own.transaction(async (tx) => {
          const aggregateId = `agg${(writer + n) % 5}`;
          const alone = `alone${writer}.${n}`;
          // The row is written early and committed late: ids and positions of others pass it by.
          appendNow(tx, [eventOf(alone, 1)]);
          await tx.query(sleep, [((writer * 7 + n * 3) % 10) / 1_000]);
          const [row] = await tx.query(nextSequence, [aggregateId]);
          appendEvents(tx, [eventOf(aggregateId, row?.sequence ?? 0)]);
        });
      }
    });
    await Promise.all(writes);
    const written = 2 + 16 * 12 * 2;
    await drained();
    await eventually(() => heard.length >= written);
    await naive.stop();
    await setImmediate();

    expect(heard).toHaveLength(written);
    expect(new Set(heard.map(({ id }) => id)).size).toBe(written);
    expectOrder(heard);
    expect(written - naive.seen.size).toBeGreaterThan(0);
    await Promise.all([consumer.stop(), ...relays.map((relay) => relay.stop())]);
  });

  it('does no harm with two relays at it at the same time: effects once, each aggregate in order', async () => {
    const heard: EventEnvelope[] = [];
    const consumer = effectsConsumer(await nats.connect('messaging'), database, (envelope) => heard.push(envelope));
    consumer.start();
    servers.onEnd(() => consumer.stop());
    // Under locks of their own: as after a leader whose session ended while it was publishing.
    const publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
    const publications = { a: 0, b: 0 };
    // Neither is done before the other has begun: both have read the first events.
    const bothPublish = Promise.withResolvers<void>();
    const brokerOf = (name: 'a' | 'b'): RelayOptions['broker'] =>
      brokerThrough(publisher, async (event) => {
        // Either is the slower one at times.
        if (++publications[name] % 7 === (name === 'a' ? 1 : 4)) await database.query(sleep, [0.01]);
        if (Math.min(publications.a, publications.b) > 0) bothPublish.resolve();
        await bothPublish.promise;
        // As if the window in which the broker drops what comes twice were over.
        return publisher.publish({ ...event, id: `${event.id}${name}` });
      });
    const relays = [
      await startRelay({ broker: brokerOf('a'), service: 'forced-a' }),
      await startRelay({ broker: brokerOf('b'), service: 'forced-b' }),
    ];
    const events = Array.from({ length: 600 }, (_, n) => eventOf(`both${n % 50}`, Math.floor(n / 50) + 1));
    for (let n = 0; n < events.length; n += 50) await append(...events.slice(n, n + 50));
    await drained();
    await eventually(() => heard.length >= events.length);
    await Promise.all(relays.map((relay) => relay.stop()));
    await consumer.stop();
    expect(publications.a + publications.b).toBeGreaterThan(events.length);
    expect(heard).toHaveLength(events.length);
    expectOrder(heard);
  });

  it('goes on with all other aggregates while one hangs and one fails', async () => {
    const publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
    const hang = Promise.withResolvers<never>();
    const failures: RelayReport[] = [];
    const broker = brokerThrough(publisher, async (event) => {
      if (event.payload.includes('hangs')) return hang.promise;
      if (event.payload.includes('fails')) throw new Error('not taken');
      return publisher.publish(event);
    });
    const relay = await startRelay({ broker, report: (report) => failures.push(report) });
    await append(eventOf('hangs', 1), eventOf('fails', 1));
    for (let n = 0; n < 20; n++) await append(eventOf(`goes${n}`, 1));
    await eventually(async () => (await database.query(unpublished, []))[0]?.n === 2);
    expect(new Set(failures.map(({ kind }) => kind))).toEqual(new Set(['failed']));
    hang.reject(new Error('the end'));
    await relay.stop();
    await (await prepared.superuser()).dataSource.query('DELETE FROM contacts.outbox_pending');
  });

  it('publishes nothing of an aggregate while one of its events is under way, and that one once, however long it takes', async () => {
    const publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
    const { promise: end, resolve: goOn } = Promise.withResolvers<void>();
    const sent: unknown[] = [];
    const broker = brokerThrough(publisher, async (event) => {
      const { aggregateId, sequence } = JSON.parse(event.payload) as EventEnvelope;
      sent.push([aggregateId, sequence]);
      if (aggregateId === 'slow' && sequence === 1) await end;
      return publisher.publish(event);
    });
    const relay = await startRelay({ broker });
    await append(eventOf('slow', 1));
    await eventually(() => sent.length === 1);
    const others = [1, 2, 3].map((sequence) => ['quick', sequence]);
    for (const sequence of [1, 2, 3]) {
      await append(eventOf('slow', sequence + 1), eventOf('quick', sequence));
      await eventually(async () => sent.length > sequence);
    }
    expect(sent).toEqual([['slow', 1], ...others]);
    goOn();
    await eventually(() => sent.length === 7);
    // What is stored is marked before the relay has ended.
    await relay.stop();
    expect(sent.slice(4)).toEqual([2, 3, 4].map((sequence) => ['slow', sequence]));
    expect(await database.query(unpublished, [])).toEqual([{ n: 0 }]);
  });

  it('counts the events that wait, how old the first is, and how many dead letters each consumer has', async () => {
    const { dataSource } = await prepared.superuser();
    const none = { pending: 0, oldestAgeSeconds: 0, isReplaying: false };
    expect(await outboxBacklog(database)).toEqual(none);
    await dataSource.query(
      `INSERT INTO contacts.relay_state (stream, created, last_sequence, replay_from) VALUES ('LOST', '', 0, '')`,
    );
    expect(await outboxBacklog(database)).toEqual({ ...none, isReplaying: true });
    await dataSource.query(`DELETE FROM contacts.relay_state WHERE stream = 'LOST'`);
    await dataSource.query(
      `INSERT INTO contacts.outbox (id, aggregate_id, subject, payload)
       SELECT contacts.cuid_floor(now() - make_interval(secs => 9000 - n)) || 'waiting' || n, 'waiting', 's', '{}' FROM generate_series(1, 3) AS n`,
    );
    const { pending, oldestAgeSeconds } = await outboxBacklog(database);
    expect([pending, Math.round(oldestAgeSeconds / 1_000)]).toEqual([3, 9]);
    await dataSource.query(`DELETE FROM contacts.outbox WHERE aggregate_id = 'waiting'`);
    expect(await deadLetterCounts(database)).toEqual(new Map());
    for (const consumer of ['a', 'b']) await buryEvent(database, consumer, delivered(1), 'x');
    await buryEvent(database, 'b', delivered(1), 'x');
    expect(await deadLetterCounts(database)).toEqual(new Map(Object.entries({ a: 1, b: 2 })));
    await dataSource.query(
      `INSERT INTO contacts.dead_letter (event_id, consumer, subject, envelope, error, deliveries)
       SELECT 'a' || n, 'flood', 's', '{}', 'x', 1 FROM generate_series(1, 10100) AS n`,
    );
    expect(await deadLetterCounts(database)).toEqual(new Map(Object.entries({ a: 1, b: 2, flood: 9_998 })));
    await dataSource.query('TRUNCATE contacts.dead_letter');
  });
});

/** The control: as often as it can, whatever is beyond the last id it has seen. */
class NaivePoller {
  readonly seen = new Set<string>();
  private stopping = false;
  private running: Promise<void> | undefined;

  constructor(private readonly database: Database) {}

  start(): void {
    this.running = this.loop();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.running;
  }

  private async loop(): Promise<void> {
    for (let last = ''; ;) {
      const rows = await this.database.query(beyond, [last]);
      for (const { id } of rows) this.seen.add((last = id));
      if (rows.length === 0 && this.stopping) return;
    }
  }
}
