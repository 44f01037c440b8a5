import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { blocksOf, nodesOf, planOf, preparedStatements, testServers } from '@switchboard/testing';
import {
  claimRetries,
  retryLines,
  type ClaimedAttempt,
  type RetryLine,
} from '../src/dispatch/retry-claim.repository.js';
import { MessagingStore, settlementOf, type Sender } from './messaging-store.js';

const servers = testServers();
const throttled = { state: 'not-taken', code: '130429', message: 'too many', retry: 'normal' } as const;
const CONVERSATIONS = 12;

describe('a long queue of messages that are still to be sent', () => {
  let store: MessagingStore;
  let database: Database;
  let sender: Sender;

  beforeAll(async () => {
    // One connection: it is asked for its plan.
    store = await MessagingStore.open(servers, 1);
    database = store.database;
    sender = await store.sender();
  });
  beforeEach(() => store.forgetDispatches());

  async function claim(lines?: readonly RetryLine[]): Promise<ClaimedAttempt[]> {
    lines ??= (await retryLines(database, null, 64)).lines;
    return claimRetries(database, lines, { limit: 64, organizationMax: 16, underway: new Map() }, newCuid());
  }

  /** Messages of a few conversations that are due, each behind the one before it; the first ones are due when they are said to be. */
  async function queue(depth: number, firstsDueInMs: number, isAnalyzed = true): Promise<void> {
    await store.superuser.dataSource.query(
      `INSERT INTO messaging.dispatch (organization_id, message_id, channel_id, contact_id, recipient_phone, lease, state, attempts, due_at)
       SELECT $1, messaging.cuid_floor(now() - interval '1 minute') || lpad(n::text, 16, '0'), $2,
         'a' || lpad((n % $3::int)::text, 24, '0'), '+14155550100', 'l', 'RETRY', 1,
         CASE WHEN n < $3::int THEN now() + make_interval(secs => $5) ELSE now() - interval '1 minute' END
       FROM generate_series(0, $3::int * $4::int - 1) AS n`,
      [sender.organizationId, sender.channelId, CONVERSATIONS, depth, firstsDueInMs / 1_000],
    );
    if (isAnalyzed) await store.superuser.dataSource.query('ANALYZE messaging.dispatch');
  }

  /** Pages that a claim touches. */
  async function blocks(): Promise<number> {
    const poll = (await preparedStatements(database)).find(({ name }) => name === 'messaging.dispatch.claim');
    if (!poll) throw new Error('it was not prepared');
    const line = [`'{${sender.organizationId}}'`, `'{${sender.channelId}}'`];
    const values = ['64', "'l'", ...line, '16', "'{}'", "'{}'", "'{}'", "'-Infinity'"];
    return blocksOf(await planOf(database, poll, { values, analyze: true }));
  }

  it('costs a claim no more the longer it is', async () => {
    await claim();
    await queue(40, -60_000);
    const short = await blocks();
    await store.forgetDispatches();
    await queue(1_000, -60_000);
    expect(await blocks()).toBeLessThan(short * 2);
  });

  it('is claimed along the same indexes whatever the statistics say, and looked through once', async () => {
    await store.superuser.dataSource.query(
      `INSERT INTO messaging.dispatch (organization_id, message_id, channel_id, contact_id, recipient_phone, lease, state, attempts, due_at)
       SELECT $1, 'cunknown' || lpad(n::text, 12, '0'), $2, 'a' || n, '+14155550100', 'l', 'UNKNOWN', 1, now() + interval '1 day'
       FROM generate_series(1, 500) AS n`,
      [sender.organizationId, sender.channelId],
    );
    // An outage that has just ended: nothing is left in the indexes but what was.
    await queue(300, -60_000);
    await store.superuser.dataSource.query(
      "DELETE FROM messaging.dispatch WHERE state = 'RETRY'; ANALYZE messaging.dispatch",
    );
    await claim();
    await queue(100, -60_000, false);
    const poll = (await preparedStatements(database)).find(({ name }) => name === 'messaging.dispatch.claim');
    const plan = nodesOf(await planOf(database, poll ?? { name: '', text: '', parameters: 0 }));
    const used = plan.flatMap((node) => (node['Relation Name'] === 'dispatch' ? (node['Index Name'] ?? []) : []));
    expect(new Set(used)).toEqual(new Set(['dispatch_due', 'dispatch_line', 'dispatch_order', 'dispatch_pkey']));
    // For what is under way, and for the oldest that are due.
    expect(used.filter((index) => index === 'dispatch_due')).toHaveLength(2);
    expect(await blocks()).toBeLessThan(20_000);
  });

  it('hides no message that is due behind those that wait for an earlier one of their conversation', async () => {
    const hidden = await store.attempt(sender);
    await store.settle(settlementOf(hidden, throttled));
    await store.letTimePass(hidden);
    await queue(100, 3_600_000);
    expect((await claim()).map(({ messageId }) => messageId)).toEqual([hidden.messageId]);
  });

  it('hides none behind those that are too old to be sent, whosesoever turn it is', async () => {
    const hidden = await store.attempt(sender);
    await store.settle(settlementOf(hidden, throttled));
    await store.letTimePass(hidden);
    await store.superuser.dataSource.query(
      `INSERT INTO messaging.dispatch (organization_id, message_id, channel_id, contact_id, recipient_phone, lease, state, attempts, due_at)
       SELECT $1, messaging.cuid_floor(now() - interval '25 hours') || lpad(n::text, 16, '0'), $2, 'a' || lpad(n::text, 24, '0'),
         '+14155550100', 'l', 'RETRY', 1, now() - interval '1 hour' FROM generate_series(1, 300) AS n`,
      [sender.organizationId, sender.channelId],
    );
    expect((await claim([])).map(({ messageId }) => messageId)).toEqual([hidden.messageId]);
  });
});
