import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { claimRetries, retryLines } from '../src/dispatch/retry-claim.repository.js';
import { monthsAgo, sentAt } from './aged-messages.js';
import { MessagingStore, settlementOf } from './messaging-store.js';

const servers = testServers();
const throttled = { state: 'not-taken', code: '130429', message: 'too many', retry: 'normal' } as const;
const waitingSql = statement<{ n: number }>(
  'test.waiting',
  "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()",
);

describe('a claim of retries whose rows change behind its look', () => {
  let store: MessagingStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });

  it('claims them all, in whichever months their messages are', async () => {
    const sender = await store.sender(6);
    const attempts = [];
    for (const [contact, months] of [0, 1, 0, 1, 0, 1].entries()) {
      const attempt =
        months === 0 ? await store.attempt(sender, contact) : await sentAt(store, sender, monthsAgo(1), contact);
      await store.settle(settlementOf(attempt, throttled));
      await store.letTimePass(attempt);
      attempts.push(attempt);
    }
    const { lines } = await retryLines(store.database, null, 64);
    await lookAndWait();
    const holder = await store.superuser.connect();
    try {
      await holder.query('SELECT pg_advisory_lock(1)');
      const bounds = { limit: 16, organizationMax: 16, underway: new Map<string, number>() };
      const claim = claimRetries(store.database, lines, bounds, newCuid());
      await eventually(async () => (await store.superuser.query(waitingSql, []))[0]?.n === 1);
      for (const table of ['message', 'dispatch']) {
        await store.superuser.dataSource.query(`UPDATE messaging.${table} SET organization_id = organization_id`);
      }
      await holder.query('SELECT pg_advisory_unlock(1)');
      const claimed = await claim;
      expect(claimed.map(({ messageId }) => messageId).sort()).toEqual(
        attempts.map(({ messageId }) => messageId).sort(),
      );
    } finally {
      holder.release(true);
    }
  });

  /** Every statement that asks for the age of ids looks, then waits for the test, and finds no message too old. */
  async function lookAndWait(): Promise<void> {
    await store.superuser.dataSource.query(`
      CREATE OR REPLACE FUNCTION messaging.cuid_floor(moment timestamptz) RETURNS text LANGUAGE plpgsql STABLE AS $$ BEGIN
        PERFORM pg_advisory_lock_shared(1), pg_advisory_unlock_shared(1);
        RETURN '';
      END $$`);
  }
});
