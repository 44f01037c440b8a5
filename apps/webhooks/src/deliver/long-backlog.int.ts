import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { storeEvents, storeWebhook, type StoredWebhook } from '../../test/stored-webhook.js';
import { WINDOW_MAX, newLane } from '../lane/lane.policy.js';
import { webhooksMigrations } from '../migrations/all.js';
import { ATTEMPT_LEASE_MS } from './choose-deliveries.js';
import { deliverTurn } from './deliver-turn.js';
import { LaneBook } from './lane-book.js';
import type { OpenLane } from './open-lane.js';
import { WorkerLease } from './worker-lease.js';

const READ = 'webhooks.delivery.read-pending';
/** More than one reading looks at, behind a reading of the first ones. */
const BACKLOG = 5_000;
const servers = testServers();

describe('a long backlog of one conversation', () => {
  let database: Database;
  let lease: WorkerLease;
  let book: LaneBook;
  let lane: OpenLane;
  let webhook: StoredWebhook;
  let nowMs: number;
  /** Rows of each reading. */
  const readings: number[] = [];

  beforeAll(async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    database = await prepared.database();
    const query = database.query.bind(database);
    jest.spyOn(database, 'query').mockImplementation(async (statement, values) => {
      const rows = await query(statement, values);
      if (statement.name === READ) readings.push(rows.length);
      return rows;
    });
    lease = new WorkerLease(database);
    nowMs = await lease.renew();
    book = new LaneBook(database, lease);
    webhook = await storeWebhook(database, BACKLOG, newCuid(), 'conversation');
    book.found({ webhookId: webhook.id, state: 'free' }, nowMs, performance.now());
    await book.acquire();
    const owned = book.find(webhook.id);
    if (!owned) throw new Error('the lane was not acquired');
    lane = owned;
    lane.state = { ...newLane, windowMax: WINDOW_MAX };
    await readAll();
  });

  async function readAll(): Promise<void> {
    while (book.isBehind('answering', nowMs)) await book.read('answering', nowMs);
  }

  async function begin(): Promise<{ readonly id: string; readonly line: string }> {
    const delivery = lane.next(nowMs);
    if (!delivery) throw new Error('nothing may begin');
    const attempt = { delivery, id: newCuid(), beganAtMs: nowMs, leaseUntilMs: nowMs + ATTEMPT_LEASE_MS };
    const choose = () => (lane.begin(attempt), [attempt]);
    const spec = { worker: lease.id, timeScale: 0, ended: [], unsent: [], candidates: [lane.webhookId], choose };
    await deliverTurn(database, spec);
    return { id: attempt.id, line: delivery.line };
  }

  it('is read once, however often its webhook is woken and looked at while it waits for its request', async () => {
    await begin();
    await readAll();
    expect(lane.next(nowMs)).toBeNull();
    readings.length = 0;
    for (let wakeUp = 0; wakeUp < 20; wakeUp++) {
      book.woken([lane.webhookId]);
      book.found({ webhookId: lane.webhookId, state: 'own', lane: lane.state }, nowMs, performance.now());
      await readAll();
    }
    expect(readings).toHaveLength(20);
    // Each has the mark, and where the last one ended.
    expect(Math.max(...readings)).toBeLessThanOrEqual(2);
  });

  it('keeps no other conversation waiting, behind however much of it', async () => {
    await storeEvents(database, webhook, 1, 'another');
    book.woken([lane.webhookId]);
    await readAll();
    expect((await begin()).line).toBe('another');
    await readAll();
    expect(lane.next(nowMs)).toBeNull();
  });

  it('goes on in its order, over the end of what is known of it', async () => {
    const positions: number[] = [];
    for (let ended = 0; ended < 270; ended++) {
      const [attempt] = [...lane.underWay.values()].filter(({ delivery }) => delivery.line === 'conversation');
      if (!attempt) throw new Error('none is under way');
      positions.push(attempt.delivery.position);
      const result = { durationMs: 1, responseStatus: 200, responseBody: null, error: null, retryAfterMs: null };
      const end = { attempt, result: { ...result, outcome: 'SUCCEEDED' as const } };
      const spec = { worker: lease.id, timeScale: 0, ended: [end], unsent: [], candidates: [], choose: () => [] };
      await deliverTurn(database, spec);
      lane.ended(attempt.id, null);
      await readAll();
      await begin();
    }
    expect(positions).toEqual(Array.from({ length: 270 }, (_, n) => (positions[0] ?? 0) + n));
  });
});
