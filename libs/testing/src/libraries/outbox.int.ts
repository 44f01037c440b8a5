import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { messagingContactsConsumer } from '@switchboard/contracts/topology';
import { EventPublisher, PullConsumer } from '@switchboard/nats';
import {
  appendEvents,
  buryEvent,
  deadLetterCounts,
  keepOutboxPartitions,
  outboxBacklog,
  Relay,
  type RelayOptions,
} from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';
import { eventually, testServers, type ServiceDatabase } from '../index.js';
import { appendNow, delivered, eventOf, nextSequence, Outbox1764000000000, unpublished } from './outbox-fixture.js';

const servers = testServers();

const sleep = statement('t.sleep', 'SELECT pg_sleep($1)');

let prepared: ServiceDatabase;
let database: Database;
beforeAll(async () => {
  prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  database = await prepared.database();
});

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
    for (const consumer of ['a', 'b']) await buryEvent(database, consumer, delivered(1), 'x');
    await buryEvent(database, 'b', delivered(1), 'x');
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
    // 8 days of outbox, 10 of inbox, today, 7 days ahead.
    expect(before).toHaveLength(16 + 18);
    const day = (daysAgo: number): string =>
      new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
    const idOf = async (daysAgo: number): Promise<string> =>
      (
        await dataSource.query(
          `SELECT contacts.cuid_floor(now() - interval '${daysAgo} days') || 'aaaaaaaaaaaaaaaa' AS id`,
        )
      )[0].id;
    const old = (name: string, daysAgo: number): Promise<unknown> =>
      dataSource.query(
        `SET search_path = contacts; SELECT ensure_partition('${name}', today - make_interval(days => ${daysAgo}),
           today - make_interval(days => ${daysAgo - 1}), to_char(today - make_interval(days => ${daysAgo}), 'YYYYMMDD'))
         FROM (SELECT date_trunc('day', now())) AS t(today)`,
      );
    for (const daysAgo of [9, 11, 12, 13, 14]) await old('outbox', daysAgo);
    for (const daysAgo of [11, 12]) await old('inbox', daysAgo);
    // Days that are still needed: an event of 9 days ago that never went out; dead letters of the relay and of a consumer.
    const insert = `INSERT INTO contacts.outbox (id, aggregate_id, subject, payload) VALUES ($1, 'stuck', 's', '{}')`;
    await dataSource.query(insert, [await idOf(9)]);
    await buryEvent(database, 'relay', delivered(1, 1, await idOf(13)), 'too large');
    await buryEvent(database, 'somebody', delivered(1, 8, await idOf(30)), 'poison');
    await dataSource.query(`DROP TABLE contacts.${before.at(-1)}`);
    // A day that somebody reads is left for the next round, and costs the others nothing.
    const reader = dataSource.createQueryRunner();
    await reader.startTransaction();
    await reader.query(`SELECT FROM contacts.outbox_${day(11)}`);
    await keepOutboxPartitions(database);
    const needed = [`outbox_${day(9)}`, `outbox_${day(13)}`, `inbox_${day(30)}`];
    expect(await partitions()).toEqual([...before, ...needed, `outbox_${day(11)}`].sort());

    await reader.commitTransaction();
    await reader.release();
    await dataSource.query(`DELETE FROM contacts.outbox WHERE aggregate_id = 'stuck'`);
    await dataSource.query('DELETE FROM contacts.dead_letter');
    await keepOutboxPartitions(database);
    expect(await partitions()).toEqual(before);
  });
});
