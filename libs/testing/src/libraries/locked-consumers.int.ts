import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DeliveredEvent } from '@switchboard/nats';
import { handleBatch, type BatchHandler } from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';
import { testServers } from '../index.js';
import { applied, deadLetters, delivered, insertApplied, Outbox1764000000000 } from './outbox-fixture.js';

const servers = testServers();
const lockAggregates = statement(
  't.lock-aggregates',
  'SELECT FROM aggregate WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE',
);

let superuser: Database;
let database: Database;
const dead: string[] = [];
beforeAll(async () => {
  const prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  superuser = await prepared.superuser();
  database = await prepared.database();
  await superuser.dataSource.query(`INSERT INTO contacts.aggregate VALUES ('locked', 1)`);
});
beforeEach(async () => {
  dead.length = 0;
  await superuser.dataSource.query('TRUNCATE contacts.applied, contacts.dead_letter, contacts.event_failure');
});

const appliedIds = async (): Promise<string[]> => (await database.query(applied, [])).map(({ eventId }) => eventId);
const idsOf = (events: readonly DeliveredEvent[]): string[] => events.map(({ envelope }) => envelope.id);

describe('a batch of events with a row that is locked for long', () => {
  /** An effect that waits for the lock of its organization's row. */
  const locking = (): BatchHandler<null> => ({
    database,
    consumer: 'test',
    prepare: () => Promise.resolve(null),
    apply: async (tx, fresh) => {
      const organizations = [...new Set(fresh.map(({ envelope }) => envelope.organizationId))];
      await tx.query(lockAggregates, [organizations]);
      await tx.query(insertApplied, [idsOf(fresh), fresh.map(({ envelope }) => envelope.sequence)]);
      return new Set();
    },
    onDead: ({ envelope }) => void dead.push(envelope.id),
  });
  const of = (organization: string, deliveries = 1, id?: string): DeliveredEvent =>
    delivered(1, deliveries, id, organization);

  it('applies the events of the others, leaves the locked ones alone for a while, and applies them afterwards', async () => {
    const handler = locking();
    const locked = Array.from({ length: 20 }, () => of('locked'));
    const free = Array.from({ length: 20 }, () => of('free'));
    const holder = await superuser.connect();
    // Stands still: the pause of the locked ones does not end, however long the others take.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    try {
      await holder.query('BEGIN');
      await holder.query(`SELECT FROM contacts.aggregate WHERE id = 'locked' FOR UPDATE`);
      const mixed = locked.flatMap((event, index) => [event, free[index] ?? event]);
      const dispositions = await handleBatch(handler, mixed);
      expect(dispositions).toEqual(
        locked.flatMap(() => [{ retryAfterMs: expect.any(Number) }, { ack: true }] as const),
      );
      expect((await appliedIds()).toSorted()).toEqual(idsOf(free).toSorted());
      // Now it is known: it costs the others nothing.
      let tries = 0;
      const counting = Object.assign(handler, { prepare: async () => (tries++, null) });
      const [again] = await handleBatch(counting, [...locked, of('free', 1, free[0]?.envelope.id)]);
      expect([again, tries]).toEqual([{ retryAfterMs: expect.any(Number) }, 1]);
    } finally {
      clock.mockRestore();
      await holder.query('ROLLBACK');
      holder.release();
    }
    expect(await handleBatch(locking(), locked)).toEqual(locked.map(() => ({ ack: true })));
    expect([dead, await database.query(deadLetters, [])]).toEqual([[], []]);
  });

  it('buries an event that times out by itself eight times', async () => {
    const event = of('locked');
    const holder = await superuser.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(`SELECT FROM contacts.aggregate WHERE id = 'locked' FOR UPDATE`);
      const answers = [];
      // A replica each: none remembers the lock.
      for (let failure = 1; failure <= 8; failure++) answers.push(...(await handleBatch(locking(), [event])));
      expect(answers).toEqual([...Array(7).fill({ retryAfterMs: expect.any(Number) }), { ack: true }]);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    expect(dead).toEqual(idsOf([event]));
    expect(await database.query(deadLetters, [])).toMatchObject([{ error: expect.stringContaining('lock timeout') }]);
  });
});
