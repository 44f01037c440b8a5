import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement, type Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { loneWorker } from '../../test/lone-worker.js';
import { storeEvents, storeWebhook, type StoredWebhook } from '../../test/stored-webhook.js';
import { deliverAgain, findDelivery } from '../delivery/delivery.repository.js';
import { interruptedResult } from '../attempt/send-request.client.js';
import type { EndedRequest, MarkedAttempt } from '../delivery/delivery.entity.js';
import { newLane } from '../lane/lane.policy.js';
import { acquireLanes, releaseLanes, storeLanes } from '../lane/lane.repository.js';
import { webhooksMigrations } from '../migrations/all.js';
import { removeWebhook } from '../webhook/webhook.repository.js';
import { ATTEMPT_LEASE_MS } from './choose-deliveries.js';
import { deliverTurn, type TurnResult, type TurnSpec } from './deliver-turn.js';
import { LaneBook } from './lane-book.js';
import { laneSorts } from './lane-sort.js';
import { WorkerLease } from './worker-lease.js';

const servers = testServers();
const recordedSql = statement<{ atMs: number }>(
  't.recorded-attempt',
  'SELECT (extract(epoch FROM began_at) * 1000)::float8 AS "atMs" FROM attempt WHERE id = $1',
);
let database: Database;
let superuser: Database;
let lease: WorkerLease;
let book: LaneBook;
let nowMs: number;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
  database = await prepared.database();
  superuser = await prepared.superuser();
});

/** What the loops of the worker do in front of their turns. */
async function updateBook(): Promise<void> {
  await book.acquire();
  for (const sort of laneSorts) await book.read(sort, nowMs);
}

function busyWebhooks(): string[] {
  return laneSorts.flatMap((sort) => book.busy(sort)).map(({ webhookId }) => webhookId);
}

/** A worker that owns the lane of a new webhook, and has read what is pending. */
async function startWorker(events: number): Promise<StoredWebhook> {
  ({ lease, nowMs } = await loneWorker(database));
  book = new LaneBook(database, lease);
  const webhook = await storeWebhook(database, events);
  book.found({ webhookId: webhook.id, state: 'free' }, nowMs, performance.now());
  await updateBook();
  return webhook;
}

function turn(spec: Partial<TurnSpec>): Promise<TurnResult> {
  const none = { ended: [], unsent: [], candidates: [], choose: () => [] };
  // All waits are over at once.
  return deliverTurn(database, { worker: lease.id, timeScale: 0, ...none, ...spec });
}

/** Marks the attempt of the delivery that comes next. */
async function begin({ id }: StoredWebhook): Promise<MarkedAttempt> {
  const delivery = book.find(id)?.next(nowMs);
  if (!delivery) throw new Error('nothing is pending');
  const attempt = { delivery, id: newCuid(), beganAtMs: nowMs, leaseUntilMs: nowMs + ATTEMPT_LEASE_MS };
  await turn({ candidates: [id], choose: () => [attempt] });
  return attempt;
}

async function whileLocked(webhooks: readonly StoredWebhook[], work: () => Promise<void>): Promise<void> {
  const holder = await superuser.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM webhooks.lane WHERE webhook_id = ANY ($1) FOR UPDATE', [
      webhooks.map(({ id }) => id),
    ]);
    await work();
  } finally {
    await holder.query('ROLLBACK');
    holder.release(true);
  }
}

describe('an attempt that is sent some time after its mark', () => {
  it('is recorded with the time of its sending, and ends that much later', async () => {
    const webhook = await startWorker(1);
    const attempt = await begin(webhook);
    const sentAtMs = nowMs + 3_000;
    const ended: EndedRequest = { attempt, sentAtMs, result: { ...interruptedResult(100), error: 'no response' } };
    const { settled, lanes } = await turn({ ended: [ended] });
    expect(settled).toMatchObject([{ state: 'PENDING', dueAtMs: sentAtMs + 100 }]);
    expect(lanes.get(webhook.id)?.state).toMatchObject({ probing: { nextAtMs: sentAtMs + 100 } });
    const [recorded] = await database.query(recordedSql, [attempt.id]);
    expect(Math.abs((recorded?.atMs ?? 0) - sentAtMs)).toBeLessThan(1);
  });

  it('is dated from its mark when the process that sent it has gone', async () => {
    const attempt = await begin(await startWorker(1));
    await turn({ ended: [{ attempt, result: interruptedResult(ATTEMPT_LEASE_MS) }] });
    const [recorded] = await database.query(recordedSql, [attempt.id]);
    expect(Math.abs((recorded?.atMs ?? 0) - attempt.beganAtMs)).toBeLessThan(1);
  });
});

it.each(['MANUAL', 'REPLAY'] as const)('a failure of a delivery that is %s does not count', async (kind) => {
  const { delivery, ...mark } = await begin(await startWorker(1));
  const attempt = { ...mark, delivery: { ...delivery, kind } };
  const { lanes } = await turn({ ended: [{ attempt, result: interruptedResult(100) }] });
  expect(lanes.get(delivery.webhookId)?.state.consecutiveFailures).toBe(0);
});

describe('a webhook that is deleted while its deliveries are in memory', () => {
  it('is lost to the worker, which begins nothing of it', async () => {
    const webhook = await startWorker(2);
    const other = await storeWebhook(database, 1);
    book.found({ webhookId: other.id, state: 'free' }, nowMs, performance.now());
    await updateBook();
    expect(book.find(webhook.id)?.next(nowMs)).not.toBeNull();
    await database.transaction((tx) => removeWebhook(tx, webhook.organizationId, webhook.id));
    const chosenOf: string[] = [];
    const { lost, begun } = await turn({
      candidates: [webhook.id, other.id],
      choose: (lanes) => {
        chosenOf.push(...lanes.keys());
        return [];
      },
    });
    expect({ lost, begun, chosenOf }).toEqual({ lost: [webhook.id], begun: [], chosenOf: [other.id] });
    for (const id of lost) book.lost(id);
    expect(busyWebhooks()).toEqual([other.id]);
  });

  it('is lost with the end of the attempt that was under way', async () => {
    const webhook = await startWorker(1);
    const attempt = await begin(webhook);
    await database.transaction((tx) => removeWebhook(tx, webhook.organizationId, webhook.id));
    const { lost, settled } = await turn({ ended: [{ attempt, result: interruptedResult(100) }] });
    expect(lost).toEqual([webhook.id]);
    expect(settled).toMatchObject([{ state: 'DROPPED' }]);
  });
});

describe('an attempt whose end is not for this worker to record', () => {
  it('is distinguished when the next ones are chosen', async () => {
    const webhook = await startWorker(2);
    const attempt = await begin(webhook);
    const end = { attempt, result: interruptedResult(100) };
    await turn({ ended: [end] });
    const sets: ReadonlySet<string>[] = [];
    await turn({ ended: [end], choose: (_lanes, recorded) => (sets.push(recorded), []) });
    expect(sets.map((recorded) => recorded.has(attempt.id))).toEqual([false]);
  });

  it('is given up without a word about the receiver when its event is no longer kept', async () => {
    const webhook = await startWorker(2);
    const ended = { attempt: await begin(webhook), result: interruptedResult(0), isEventGone: true };
    const { settled, lanes } = await turn({ ended: [ended] });
    expect([settled, lanes.get(webhook.id)?.state]).toMatchObject([[{ state: 'FAILED', dueAtMs: null }], newLane]);
  });
});

describe('a delivery that was sent again by hand since it was read', () => {
  it('is not begun as it was read: it has a new round of attempts, of its own kind', async () => {
    const webhook = await startWorker(1);
    await turn({ ended: [{ attempt: await begin(webhook), result: interruptedResult(0) }] });
    book.find(webhook.id)?.doubt();
    await updateBook();
    const delivery = book.find(webhook.id)?.next(nowMs + 60_000);
    expect(delivery).toMatchObject({ kind: 'AUTOMATIC', tries: 1 });
    if (!delivery) throw new Error('nothing is pending');
    await database.transaction(async (tx) => {
      const found = await findDelivery(tx, webhook.id, delivery.id);
      expect(found && (await deliverAgain(tx, found))).toBe(1);
    });
    const stale = { delivery, id: newCuid(), beganAtMs: nowMs, leaseUntilMs: nowMs + ATTEMPT_LEASE_MS };
    const { requests } = await turn({ candidates: [webhook.id], choose: () => [stale] });
    expect([...requests.keys()]).toEqual([]);
    book.find(webhook.id)?.doubt();
    await updateBook();
    const read = book.find(webhook.id)?.next(nowMs + 60_000);
    expect(read).toMatchObject({ kind: 'MANUAL', tries: 0 });
    if (!read) throw new Error('nothing is pending');
    const again = { ...stale, delivery: read };
    const begun = await turn({ candidates: [webhook.id], choose: () => [again] });
    expect([...begun.requests.keys()]).toEqual([stale.id]);
  });
});

describe('an attempt that this process ended because it stops', () => {
  it('is recorded, and says nothing of a receiver that answers', async () => {
    const webhook = await startWorker(1);
    const state = { ...newLane, windowMax: 2 };
    await database.transaction((tx) => storeLanes(tx, [{ webhookId: webhook.id, isOpen: true, state }]));
    const ended = { attempt: await begin(webhook), result: interruptedResult(3_000), isStopped: true };
    const { settled, lanes } = await turn({ ended: [ended] });
    expect(settled).toMatchObject([{ state: 'PENDING', result: { error: 'interrupted' } }]);
    expect(lanes.get(webhook.id)?.state).toEqual(state);
  });
});

describe('a lane that another transaction has locked', () => {
  it('is acquired by a later look, passed by in a turn, and given back later', async () => {
    const webhook = await startWorker(2);
    const other = await storeWebhook(database, 1);
    const attempt = await begin(webhook);
    const end = { attempt, result: interruptedResult(100) };
    await whileLocked([webhook, other], async () => {
      expect(await acquireLanes(database, [other.id], lease.id)).toEqual([]);
      await releaseLanes(database, [webhook.id], lease.id);
      const choose: TurnSpec['choose'] = (lanes, recorded, passedBy) => {
        expect([lanes.size, recorded.size, [...passedBy]]).toEqual([0, 0, [webhook.id]]);
        return [];
      };
      const unsent = [{ attempt, cause: 'late' as const, holdMs: 1_000 }];
      const passed = await turn({ candidates: [webhook.id], ended: [end], unsent, choose });
      expect([passed.lost, passed.settled, [...passed.passedBy]]).toEqual([[], [], [webhook.id]]);
    });
    expect(await acquireLanes(database, [other.id], lease.id)).toHaveLength(1);
    const { settled, passedBy } = await turn({ ended: [end] });
    expect([settled.length, passedBy.size]).toEqual([1, 0]);
  });

  it('keeps no worker from ending', async () => {
    const webhook = await startWorker(1);
    await whileLocked([webhook], () => lease.end());
    const successor = new WorkerLease(database);
    await successor.renew();
    expect(await acquireLanes(database, [webhook.id], successor.id)).toHaveLength(1);
  });
});

describe('a lane of which one retry waits', () => {
  it('is read again by a look, in case its wake-up was lost', async () => {
    const webhook = await startWorker(1);
    await turn({ timeScale: 1, ended: [{ attempt: await begin(webhook), result: interruptedResult(0) }] });
    const lane = book.find(webhook.id);
    lane?.doubt();
    await updateBook();
    expect([lane?.isIdle, lane?.next(nowMs)]).toEqual([false, null]);
    await storeEvents(database, webhook, 1);
    await updateBook();
    expect(lane?.next(nowMs)).toBeNull();
    book.found({ webhookId: webhook.id, state: 'own', lane: newLane }, nowMs, performance.now());
    await updateBook();
    expect(lane?.next(nowMs)).toMatchObject({ tries: 0 });
  });
});

describe('a webhook of a turn that is under way', () => {
  it('is in no other turn until that has ended, well or not', async () => {
    const webhook = await startWorker(2);
    expect(busyWebhooks()).toEqual([webhook.id]);
    const well = Promise.withResolvers<void>();
    const takenWell = book.whileTaken([webhook.id], () => well.promise);
    expect(busyWebhooks()).toEqual([]);
    well.resolve();
    await takenWell;
    expect(busyWebhooks()).toEqual([webhook.id]);
    const failing = book.whileTaken([webhook.id], () => Promise.reject(new Error('the turn failed')));
    expect(busyWebhooks()).toEqual([]);
    await expect(failing).rejects.toThrow('the turn failed');
    expect(busyWebhooks()).toEqual([webhook.id]);
  });

  it('keeps what the turn has read of it, whatever was read before that', async () => {
    const webhook = await startWorker(1);
    const lane = book.find(webhook.id);
    const askedMs = performance.now();
    const state = { ...newLane, windowMax: 8 };
    await book.whileTaken([webhook.id], async () => {
      if (lane) lane.state = state;
      book.found({ webhookId: webhook.id, state: 'own', lane: newLane }, nowMs, askedMs);
      expect(lane?.state).toEqual(state);
    });
    book.found({ webhookId: webhook.id, state: 'own', lane: newLane }, nowMs, askedMs);
    expect(lane?.state).toEqual(state);
    book.found({ webhookId: webhook.id, state: 'own', lane: newLane }, nowMs, performance.now() + 1);
    expect(lane?.state).toEqual(newLane);
  });
});

describe('a webhook that is given back', () => {
  it('is not acquired again before that is done', async () => {
    const webhook = await startWorker(0);
    const lane = book.find(webhook.id);
    if (lane) lane.busyAtMs = -Infinity;
    const givenBack = book.giveBackIdle();
    book.woken([webhook.id]);
    expect(book.hasWanted).toBe(false);
    await givenBack;
    expect(book.hasWanted).toBe(true);
    await book.acquire();
    expect(book.find(webhook.id)).toBeDefined();
    const { lost } = await turn({ candidates: [webhook.id] });
    expect(lost).toEqual([]);
  });
});
