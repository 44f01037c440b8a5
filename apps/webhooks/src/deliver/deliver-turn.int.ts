import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement, type Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { storeWebhook, type StoredWebhook } from '../../test/stored-webhook.js';
import { interruptedResult } from '../attempt/send-request.client.js';
import type { EndedRequest, MarkedAttempt } from '../delivery/delivery.entity.js';
import { webhooksMigrations } from '../migrations/all.js';
import { removeWebhook } from '../webhook/webhook.repository.js';
import { ATTEMPT_LEASE_MS } from './choose-deliveries.js';
import { deliverTurn, type TurnResult, type TurnSpec } from './deliver-turn.js';
import { LaneBook } from './lane-book.js';
import { WorkerLease } from './worker-lease.js';

const servers = testServers();
const recordedSql = statement<{ atMs: number }>(
  't.recorded-attempt',
  'SELECT (extract(epoch FROM began_at) * 1000)::float8 AS "atMs" FROM attempt WHERE id = $1',
);
let database: Database;
let lease: WorkerLease;
let book: LaneBook;
let nowMs: number;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
  database = await prepared.database();
});

/** A worker that owns the lane of a new webhook, and has read what is pending. */
async function startWorker(events: number): Promise<StoredWebhook> {
  lease = new WorkerLease(database);
  nowMs = await lease.renew();
  book = new LaneBook(database, lease);
  const webhook = await storeWebhook(database, events);
  book.found({ webhookId: webhook.id, state: 'free' });
  await book.update(nowMs);
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

describe('an attempt that is sent some time after its mark', () => {
  it('is recorded with the time of its sending, and ends that much later', async () => {
    const webhook = await startWorker(1);
    const attempt = await begin(webhook);
    const sentAtMs = nowMs + 3_000;
    const ended: EndedRequest = { attempt, sentAtMs, result: { ...interruptedResult(100), error: 'no response' } };
    const { settled, lanes } = await turn({ ended: [ended] });
    expect(settled).toMatchObject([{ state: 'PENDING', dueAtMs: sentAtMs + 100 }]);
    const endMs = sentAtMs + 100;
    expect(lanes.get(webhook.id)?.state).toMatchObject({
      countedUntilMs: endMs,
      probing: { sinceMs: endMs, nextAtMs: endMs },
    });
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

describe('a webhook that is deleted while its deliveries are in memory', () => {
  it('is lost to the worker, which begins nothing of it', async () => {
    const webhook = await startWorker(2);
    const other = await storeWebhook(database, 1);
    book.found({ webhookId: other.id, state: 'free' });
    await book.update(nowMs);
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
    expect(book.busy.map(({ webhookId }) => webhookId)).toEqual([other.id]);
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
