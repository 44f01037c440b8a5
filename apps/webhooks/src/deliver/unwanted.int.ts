import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement, type Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { storeWebhook } from '../../test/stored-webhook.js';
import type { MarkedAttempt } from '../delivery/delivery.entity.js';
import { webhooksMigrations } from '../migrations/all.js';
import { ATTEMPT_LEASE_MS } from './choose-deliveries.js';
import { deliverTurn, type TurnSpec } from './deliver-turn.js';
import { LaneBook } from './lane-book.js';
import { WorkerLease } from './worker-lease.js';

/** More than two slices. */
const UNWANTED = 2_100;
const servers = testServers();
const narrowSql = statement('t.narrow', `UPDATE webhook SET events = '{conversation.closed}' WHERE id = $1`);
/** The last one is wanted, the one before was sent again by hand, and some have failed before. */
const changeSql = statement(
  't.change',
  `UPDATE delivery d SET
     type = CASE WHEN n = $2 + 2 THEN 'conversation.closed' ELSE d.type END,
     kind = CASE WHEN n = $2 + 1 THEN 'MANUAL' ELSE d.kind END,
     tries = CASE WHEN n BETWEEN 101 AND 200 THEN 1 ELSE 0 END
   FROM (SELECT id, row_number() OVER (ORDER BY position) AS n FROM delivery WHERE webhook_id = $1) AS numbered
   WHERE d.webhook_id = $1 AND d.id = numbered.id`,
);
const pendingSql = statement<{ type: string; kind: string }>(
  't.pending',
  'SELECT type, kind FROM delivery WHERE webhook_id = $1 ORDER BY position',
);
const droppedSql = statement<{ count: number }>(
  't.dropped',
  'SELECT count(*)::integer AS count FROM dropped_delivery WHERE webhook_id = $1',
);

describe('a webhook that was narrowed to fewer event types, one request at a time', () => {
  let database: Database;
  let lease: WorkerLease;
  let book: LaneBook;
  let nowMs: number;

  beforeAll(async () => {
    database = await (await servers.serviceDatabase('webhooks', webhooksMigrations)).database();
    lease = new WorkerLease(database);
    nowMs = await lease.renew();
    book = new LaneBook(database, lease);
  });

  async function turn(spec: Partial<TurnSpec>): ReturnType<typeof deliverTurn> {
    const none = { ended: [], unsent: [], candidates: [], choose: () => [] };
    return deliverTurn(database, { worker: lease.id, timeScale: 0, ...none, ...spec });
  }

  it('has its other deliveries dropped in a few turns, and what is wanted begins', async () => {
    const webhook = await storeWebhook(database, UNWANTED + 2);
    await database.query(changeSql, [webhook.id, UNWANTED]);
    await database.query(narrowSql, [webhook.id]);
    // What was stored is due.
    nowMs = await lease.renew();
    book.found({ webhookId: webhook.id, state: 'free' }, nowMs, performance.now());
    await book.acquire();
    let unsent: MarkedAttempt[] = [];
    let dropped = 0;
    for (let isWanted = false; !isWanted; dropped += unsent.length) {
      await book.read('giving-way', nowMs);
      const delivery = book.find(webhook.id)?.next(nowMs);
      if (!delivery) throw new Error('nothing is pending');
      const attempt = { delivery, id: newCuid(), beganAtMs: nowMs, leaseUntilMs: nowMs + ATTEMPT_LEASE_MS };
      const { requests } = await turn({ candidates: [webhook.id], choose: () => [attempt] });
      isWanted = requests.get(attempt.id)?.isWanted === true;
      unsent = isWanted ? [] : [attempt];
      await turn({ unsent: unsent.map((one) => ({ attempt: one, cause: 'unsubscribed', holdMs: 0 })) });
      book.find(webhook.id)?.doubt();
    }
    // Three slices of those that were new, and one of those that had failed.
    expect(dropped).toBeLessThanOrEqual(5);
    expect(await database.query(pendingSql, [webhook.id])).toEqual([
      { type: 'message.received', kind: 'MANUAL' },
      { type: 'conversation.closed', kind: 'AUTOMATIC' },
    ]);
    expect(await database.query(droppedSql, [webhook.id])).toEqual([{ count: UNWANTED }]);
  });
});
