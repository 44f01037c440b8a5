import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement, type Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { storeWebhook, type StoredWebhook } from '../../test/stored-webhook.js';
import { interruptedResult } from '../attempt/send-request.client.js';
import type { MarkedAttempt } from '../delivery/delivery.entity.js';
import { webhooksMigrations } from '../migrations/all.js';
import { ATTEMPT_LEASE_MS } from './choose-deliveries.js';
import { deliverTurn, type TurnResult, type TurnSpec } from './deliver-turn.js';
import { LaneBook } from './lane-book.js';
import { laneSorts } from './lane-sort.js';
import type { OpenLane } from './open-lane.js';
import { WorkerLease } from './worker-lease.js';

const servers = testServers();
const monotonic = performance.now.bind(performance);
/** By so much the clock was ahead before it stepped back. */
const AHEAD_MS = 5 * 3_600_000;
/** More than are read at once. */
const RETRIES = 300;
const retriesSql = statement(
  't.retries',
  `UPDATE delivery d SET tries = 1, attempts = 1, due_at = now() + CASE WHEN n.n = 1 THEN interval '5 hours' ELSE interval '5 min' END
   FROM (SELECT id, row_number() OVER (ORDER BY position) AS n FROM delivery WHERE webhook_id = $1) AS n
   WHERE d.webhook_id = $1 AND d.id = n.id`,
);
const aheadSql = statement('t.lease-ahead', `UPDATE worker SET lease_until = now() + interval '5 hours' WHERE id = $1`);
const workersSql = statement<{ id: string }>('t.workers', 'SELECT id FROM worker WHERE id = ANY ($1::text[])');
let database: Database;
let lease: WorkerLease;
let book: LaneBook;
let nowMs: number;
let aheadMs = 0;

beforeAll(async () => {
  database = await (await servers.serviceDatabase('webhooks', webhooksMigrations)).database();
});

beforeEach(async () => {
  aheadMs = 0;
  // It goes on by `goOn` alone: statements may take seconds on a busy machine.
  // Whole, so that sums of it are exact.
  const startedMs = Math.round(monotonic());
  jest.spyOn(performance, 'now').mockImplementation(() => startedMs + aheadMs);
  lease = new WorkerLease(database);
  nowMs = await lease.renew();
  book = new LaneBook(database, lease);
});

afterEach(() => void jest.restoreAllMocks());

/** Monotonic time goes on by so much. */
function goOn(byMs: number): void {
  aheadMs += byMs;
}

async function own({ id }: StoredWebhook): Promise<OpenLane> {
  book.found({ webhookId: id, state: 'free' }, nowMs, performance.now());
  await book.acquire();
  return read(id);
}

async function read(id: string): Promise<OpenLane> {
  for (const sort of laneSorts) await book.read(sort, nowMs);
  const lane = book.find(id);
  if (!lane) throw new Error('the lane is not owned');
  return lane;
}

function turn(spec: Partial<TurnSpec>): Promise<TurnResult> {
  const none = { ended: [], unsent: [], candidates: [], choose: () => [] };
  return deliverTurn(database, { worker: lease.id, timeScale: 1, ...none, ...spec });
}

/** Marks the next delivery with times of a clock that is so far ahead. */
async function begin(lane: OpenLane, byMs: number): Promise<MarkedAttempt> {
  const delivery = lane.next(nowMs);
  if (!delivery) throw new Error('nothing is pending');
  const beganAtMs = nowMs + byMs;
  const attempt = { delivery, id: newCuid(), beganAtMs, leaseUntilMs: beganAtMs + ATTEMPT_LEASE_MS };
  await turn({ candidates: [lane.webhookId], choose: () => [attempt] });
  return attempt;
}

describe('the lease of another worker that the clock has left hours ahead', () => {
  it('is taken away when it has not changed for 6 s, and not while that worker lives', async () => {
    const [dead, living] = [new WorkerLease(database), new WorkerLease(database)];
    for (const other of [dead, living]) {
      await other.renew();
      await database.query(aheadSql, [other.id]);
    }
    await lease.renew();
    await living.renew();
    goOn(5_900);
    await lease.renew();
    expect(await database.query(workersSql, [[dead.id, living.id]])).toHaveLength(2);
    goOn(200);
    await living.renew();
    await lease.renew();
    expect(await database.query(workersSql, [[dead.id, living.id]])).toEqual([{ id: living.id }]);
  });
});

describe('what was under way when the clock stepped back', () => {
  it('is over 15 s after it was first seen, however often it is read', async () => {
    const lane = await own(await storeWebhook(database, 1));
    await begin(lane, AHEAD_MS);
    lane.doubt();
    await read(lane.webhookId);
    expect([lane.underWay.size, lane.expired(nowMs).length]).toEqual([1, 0]);
    goOn(ATTEMPT_LEASE_MS - 5_000);
    lane.doubt();
    await read(lane.webhookId);
    expect(lane.expired(nowMs)).toEqual([]);
    goOn(5_000);
    expect(lane.expired(nowMs)).toHaveLength(1);
  });

  it('ends by the clock as it is: its retry is due in half a minute, and the next failure counts, too', async () => {
    const lane = await own(await storeWebhook(database, 2));
    const before = await begin(lane, AHEAD_MS);
    const first = await turn({ ended: [{ attempt: before, result: interruptedResult(100) }] });
    expect(first.settled[0]?.dueAtMs).toBeLessThan(nowMs + 60_000);
    expect(first.lanes.get(lane.webhookId)?.state).toMatchObject({ consecutiveFailures: 1 });
    lane.doubt();
    await read(lane.webhookId);
    nowMs = await lease.renew();
    const next = await begin(lane, 0);
    const { lanes } = await turn({ ended: [{ attempt: next, result: interruptedResult(100) }] });
    expect(lanes.get(lane.webhookId)?.state).toMatchObject({ consecutiveFailures: 2 });
  });
});

describe('two attempts that a blip has failed', () => {
  it('are one failure, also when the clock of the process was so far behind that the first seems to have ended before the second began', async () => {
    const lane = await own(await storeWebhook(database, 2));
    const first = await begin(lane, 0);
    lane.doubt();
    await read(lane.webhookId);
    nowMs = await lease.renew();
    const second = await begin(lane, 0);
    const result = interruptedResult(100);
    const ended = [
      { attempt: first, sentAtMs: first.beganAtMs - 1_000, result },
      { attempt: second, result },
    ];
    const { lanes, settled } = await turn({ ended });
    expect(settled).toHaveLength(2);
    expect(lanes.get(lane.webhookId)?.state).toMatchObject({ consecutiveFailures: 1, probing: { failedProbes: 0 } });
  });
});

describe('a retry that was due by a clock that stepped back', () => {
  it('is next, whatever waits by the present one', async () => {
    const webhook = await storeWebhook(database, RETRIES);
    await database.query(retriesSql, [webhook.id]);
    const lane = await own(webhook);
    expect(lane.next(nowMs)).toMatchObject({ tries: 1, position: 1 });
  });
});
