import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { messagingContactsConsumer } from '@switchboard/contracts/topology';
import {
  contextOfTraceparent,
  EventPublisher,
  PullConsumer,
  RpcUnanswered,
  type DeliveredEvent,
} from '@switchboard/nats';
import {
  appendEvents,
  buryEvent,
  deadLetterCounts,
  handleBatch,
  OUTBOX_RETENTION_DAYS,
  outboxBacklog,
  outboxTables,
  Relay,
  type NewEvent,
  type RelayOptions,
} from '@switchboard/outbox';
import { OutcomeUnknown, partitionFunctions, statement, type Database } from '@switchboard/postgres';
import { eventually, testServers, type ServiceDatabase } from '../index.js';

const servers = testServers();

class Outbox1764000000000 {
  readonly name = 'Outbox1764000000000';

  async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query(partitionFunctions('contacts'));
    await runner.query(outboxTables('contacts'));
    await runner.query(`
      CREATE TABLE contacts.aggregate (id text PRIMARY KEY, sequence integer NOT NULL);
      CREATE TABLE contacts.applied (event_id text NOT NULL, sequence integer NOT NULL CHECK (sequence <> 13));
    `);
  }

  async down(): Promise<void> {}
}

const nextSequence = statement<{ sequence: number }>(
  't.next-sequence',
  `INSERT INTO aggregate (id, sequence) VALUES ($1, 1)
   ON CONFLICT (id) DO UPDATE SET sequence = aggregate.sequence + 1 RETURNING sequence`,
);
const sleep = statement('t.sleep', 'SELECT pg_sleep($1)');
const insertApplied = statement(
  't.insert-applied',
  'INSERT INTO applied (event_id, sequence) SELECT * FROM unnest($1::text[], $2::int[])',
);
const applied = statement<{ eventId: string }>(
  't.applied',
  'SELECT event_id AS "eventId" FROM applied ORDER BY sequence',
);
const unpublished = statement<{ n: number }>(
  't.unpublished',
  'SELECT count(*)::int AS n FROM outbox WHERE published_at IS NULL',
);
const deadLetters = statement<{ eventId: string; consumer: string; deliveries: number }>(
  't.dead-letters',
  'SELECT event_id AS "eventId", consumer, deliveries FROM dead_letter',
);
const keepPartitions = statement('t.keep', 'SELECT keep_outbox_partitions($1)');

let prepared: ServiceDatabase;
let database: Database;
beforeAll(async () => {
  prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  database = await prepared.database();
});

function eventOf(aggregateId: string, sequence: number): NewEvent<unknown> {
  const data = { contact: { id: aggregateId } };
  return { event: contactChanged, organizationId: 'corg', aggregateId, sequence, occurredAt: new Date(0), data };
}

describe('the outbox', () => {
  it('loses nothing of 16 writers whose commits overtake each other, keeps each aggregate in order, and doubles nothing', async () => {
    const nats = await servers.nats();
    const publisher = new EventPublisher(await nats.connect('contacts'));
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
    const relays = [await prepared.database(), await prepared.database()].map((own) => {
      const publish: RelayOptions['publish'] = async (event) => {
        const n = ++publications;
        if (n % 50 === 0) throw new Error('not published');
        await publisher.publish(event);
        if (n % 70 === 0) throw new Error('the answer was lost');
      };
      return new Relay({ database: own, service: 'contacts', publish, onError: () => undefined, batchMax: 20 });
    });
    for (const relay of relays) {
      relay.start();
      servers.onEnd(() => relay.stop());
    }

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
    const written = 16 * 12 * 2;
    await eventually(async () => (await database.query(unpublished, []))[0]?.n === 0, { deadlineMs: 30_000 });
    await eventually(() => heard.length >= written, { deadlineMs: 10_000 });
    await setImmediate();

    expect(heard).toHaveLength(written);
    expect(new Set(heard.map(({ id }) => id)).size).toBe(written);
    for (const [aggregateId, events] of Map.groupBy(heard, (envelope) => envelope.aggregateId)) {
      expect([aggregateId, events.map(({ sequence }) => sequence)]).toEqual([
        aggregateId,
        events.map((_event, n) => n + 1),
      ]);
    }
  });

  it('tells how many events wait, how old the first is, and how many dead letters each consumer has', async () => {
    const { dataSource } = await prepared.superuser();
    expect(await outboxBacklog(database)).toEqual({ pending: 0, oldestAgeSeconds: 0 });
    await dataSource.query(
      `INSERT INTO contacts.outbox (id, aggregate_id, subject, payload)
       SELECT contacts.cuid_floor(now() - make_interval(secs => 90 - n)) || 'waiting' || n, 'waiting', 's', '{}' FROM generate_series(1, 3) AS n`,
    );
    const { pending, oldestAgeSeconds } = await outboxBacklog(database);
    expect([pending, Math.round(oldestAgeSeconds / 10)]).toEqual([3, 9]);
    await dataSource.query(`DELETE FROM contacts.outbox WHERE aggregate_id = 'waiting'`);
    expect(await deadLetterCounts(database)).toEqual(new Map());
    const letter = (id: string): DeliveredEvent => ({
      envelope: { ...eventOf('agg', 1), id, subject: 's', occurredAt: '' },
      deliveries: 1,
      context: contextOfTraceparent(null),
    });
    for (const consumer of ['a', 'b']) await buryEvent(database, consumer, letter('c1'), 'x');
    await buryEvent(database, 'b', letter('c2'), 'x');
    expect(await deadLetterCounts(database)).toEqual(new Map(Object.entries({ a: 1, b: 2 })));
    await dataSource.query('TRUNCATE contacts.dead_letter');
  });

  it('makes the days ahead and drops those past retention, as the service role without any right of DDL', async () => {
    const { dataSource } = await prepared.superuser();
    const partitions = async (): Promise<string[]> =>
      (
        await dataSource.query(
          `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
           WHERE p.relname IN ('outbox', 'inbox') AND p.relkind = 'p' ORDER BY 1`,
        )
      ).map(({ name }: { name: string }) => name);
    const before = await partitions();
    expect(before).toHaveLength(32);
    const old = (name: string, daysAgo: number): Promise<unknown> =>
      dataSource.query(
        `SET search_path = contacts; SELECT ensure_partition('${name}', today - make_interval(days => ${daysAgo}),
           today - make_interval(days => ${daysAgo - 1}), to_char(today - make_interval(days => ${daysAgo}), 'YYYYMMDD'))
         FROM (SELECT date_trunc('day', now())) AS t(today)`,
      );
    for (const name of ['outbox', 'inbox']) for (const daysAgo of [9, 12]) await old(name, daysAgo);
    // An event of 9 days ago that never went out keeps its day.
    await dataSource.query(
      `INSERT INTO contacts.outbox (id, aggregate_id, subject, payload)
       SELECT contacts.cuid_floor(now() - interval '9 days') || 'aaaaaaaaaaaaaaaa', 'stuck', 's', '{}'`,
    );
    await dataSource.query(`DROP TABLE contacts.${before.at(-1)}`);

    await database.query(keepPartitions, [OUTBOX_RETENTION_DAYS]);
    const day = (daysAgo: number): string =>
      new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
    const kept = [`outbox_${day(9)}`];
    expect(await partitions()).toEqual([...before, ...kept].sort());
    await dataSource.query(`DELETE FROM contacts.outbox WHERE aggregate_id = 'stuck'`);
    await database.query(keepPartitions, [OUTBOX_RETENTION_DAYS]);
    expect(await partitions()).toEqual(before);
  });
});

describe('a batch of events', () => {
  const dead: string[] = [];
  const handle = (events: readonly DeliveredEvent[]): ReturnType<typeof handleBatch> =>
    handleBatch(
      {
        database,
        consumer: 'test',
        prepare: () => Promise.resolve(null),
        apply: async (tx, fresh) => {
          const ready = fresh.filter(({ envelope }) => envelope.sequence !== 0);
          const ids = ready.map(({ envelope }) => envelope.id);
          await tx.query(insertApplied, [ids, ready.map(({ envelope }) => envelope.sequence)]);
          return new Set(fresh.filter(({ envelope }) => envelope.sequence === 0).map(({ envelope }) => envelope.id));
        },
        onDead: ({ envelope }) => void dead.push(envelope.id),
      },
      events,
    );
  const delivered = (sequence: number, deliveries = 1, id = newCuid()): DeliveredEvent => ({
    envelope: { ...eventOf('agg', sequence), id, subject: 's', occurredAt: '', sequence, data: null },
    deliveries,
    context: contextOfTraceparent(null),
  });
  const appliedIds = async (): Promise<string[]> => (await database.query(applied, [])).map(({ eventId }) => eventId);
  const idsOf = (events: readonly DeliveredEvent[]): string[] => events.map(({ envelope }) => envelope.id);
  const clear = async (): Promise<void> => {
    await (await prepared.superuser()).dataSource.query('TRUNCATE contacts.applied, contacts.dead_letter');
  };

  it('is applied once, however often and however mixed it is delivered, by two replicas at the same time too', async () => {
    await clear();
    const events = [1, 2, 3, 4, 5].map((sequence) => delivered(sequence));
    const [first, second, third] = [
      events.slice(0, 3),
      [...events.slice(1), ...events.slice(1, 3)],
      events.toReversed(),
    ];
    const dispositions = await Promise.all([handle(first), handle(second), handle(third)]);
    expect(dispositions.flat()).toEqual(Array(first.length + second.length + third.length).fill({ ack: true }));
    expect(await appliedIds()).toEqual(idsOf(events));
  });

  it('applies the neighbours of a poison event, gives that one back with a pause, and buries it at the eighth delivery', async () => {
    await clear();
    const poison = delivered(13);
    const events = [delivered(1), delivered(2), poison, delivered(14), delivered(15)];
    const dispositions = await handle(events);
    expect(dispositions.map((disposition) => 'ack' in disposition)).toEqual([true, true, false, true, true]);
    expect(dispositions[2]).toEqual({ retryAfterMs: expect.any(Number) });
    expect(await appliedIds()).toEqual(idsOf(events.filter((event) => event !== poison)));
    expect(await handle([delivered(13, 7, poison.envelope.id)])).toEqual([{ retryAfterMs: expect.any(Number) }]);
    expect(await database.query(deadLetters, [])).toEqual([]);
    expect(await handle([delivered(13, 8, poison.envelope.id)])).toEqual([{ ack: true }]);
    expect(await database.query(deadLetters, [])).toEqual([
      { eventId: poison.envelope.id, consumer: 'test', deliveries: 8 },
    ]);
    expect(dead).toEqual([poison.envelope.id]);
  });

  it('is given back whole, never halved and never buried, while something that it needs is away', async () => {
    await clear();
    let asked = 0;
    const away = (error: unknown): Promise<unknown> => {
      const events = [delivered(1, 20), delivered(2, 20)];
      const prepare = (): Promise<never> => (asked++, Promise.reject(error));
      const apply = (): Promise<never> => Promise.reject(new Error('not reached'));
      return handleBatch({ database, consumer: 'test', prepare, apply, onDead: () => undefined }, events);
    };
    const reasons = [
      new RpcUnanswered('rpc.contacts.resolve-many', 'none', null),
      new AppError(gatewayErrors.SERVICE_UNAVAILABLE),
      new OutcomeUnknown(null),
    ];
    for (const reason of reasons) await expect(away(reason)).rejects.toBe(reason);
    expect(asked).toBe(reasons.length);
    expect(await database.query(deadLetters, [])).toEqual([]);
  });

  it('gives back what must wait and applies it when it comes again', async () => {
    await clear();
    const early = delivered(0);
    expect(await handle([delivered(1), early])).toEqual([{ ack: true }, { retryAfterMs: expect.any(Number) }]);
    const later = delivered(7, 2, early.envelope.id);
    expect(await handle([later])).toEqual([{ ack: true }]);
    expect(await appliedIds()).toContain(early.envelope.id);
  });
});

/** Writes the row now instead of with COMMIT, so that a slow transaction holds an early position. */
function appendNow(tx: Parameters<typeof appendEvents>[0], events: readonly NewEvent<unknown>[]): void {
  const statements: Promise<unknown>[] = [];
  appendEvents({ ...tx, atCommit: (own, values) => void statements.push(tx.query(own, values)) }, events);
  for (const sent of statements) sent.catch(() => undefined);
}
