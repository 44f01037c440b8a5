import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { cuidTime, newCuid, newCuidAt } from '@switchboard/contracts/grammar/cuid';
import { createLog, systemClock } from '@switchboard/platform';
import { sqlState, statement, type Database } from '@switchboard/postgres';
import { eventually, patience, testServers } from '@switchboard/testing';
import { loneWorker } from '../../test/lone-worker.js';
import { storeWebhook, type StoredWebhook } from '../../test/stored-webhook.js';
import { type LoggedResult, SendRequest } from '../attempt/send-request.client.js';
import { StopGrace } from '../attempt/stop-grace.js';
import type { MarkedAttempt } from '../delivery/delivery.entity.js';
import { newLane } from '../lane/lane.policy.js';
import { storeLanes } from '../lane/lane.repository.js';
import { webhooksMigrations } from '../migrations/all.js';
import { ATTEMPT_LEASE_MS } from './choose-deliveries.js';
import { DatabaseClock } from '../attempt/database-clock.js';
import { deliverTurn } from './deliver-turn.js';
import { DeliveryTurns } from './delivery-turns.js';
import { LaneBook } from './lane-book.js';
import { laneSorts, type LaneSort } from './lane-sort.js';
import { RequestsInFlight } from './requests-in-flight.js';
import type { WorkerLease } from './worker-lease.js';

const servers = testServers();
const log = createLog('test', { write: () => undefined });
const DAY_MS = 86_400_000;
const recordedSql = statement<{ id: string }>(
  't.attempts-of-delivery',
  'SELECT id FROM attempt WHERE delivery_id = $1',
);
const attemptSql = statement('t.attempt-recorded', 'SELECT FROM attempt WHERE id = $1');
let database: Database;
let book: LaneBook;
let lease: WorkerLease;
let turns: DeliveryTurns;
let sent: string[];
let answers: ((answer: LoggedResult) => void)[];
let woken: LaneSort[];
let webhook: StoredWebhook;
let nowMs: number;

beforeAll(async () => {
  database = await (await servers.serviceDatabase('webhooks', webhooksMigrations)).database(patience);
});

/** A webhook of a receiver that answers, with four deliveries, and turns whose requests are noted and end when a test says so. */
beforeEach(async () => {
  ({ lease, nowMs } = await loneWorker(database));
  book = new LaneBook(database, lease);
  [sent, answers, woken] = [[], [], []];
  const send: SendRequest['send'] = ({ dataId }) => {
    sent.push(dataId);
    return new Promise<LoggedResult>((resolve) => answers.push(resolve));
  };
  const dbClock = new DatabaseClock(systemClock);
  dbClock.observe(nowMs);
  const wake = (sort: LaneSort): void => void woken.push(sort);
  const { signal: stopping } = new AbortController();
  const sender = Object.assign(Object.create(SendRequest.prototype) as SendRequest, { send });
  const requests = new RequestsInFlight(sender, new StopGrace(stopping));
  turns = new DeliveryTurns({ database, requests, book, dbClock, log, stopping, worker: lease.id, timeScale: 1, wake });
  webhook = await storeWebhook(database, 4);
  const state = { ...newLane, windowMax: 2 };
  await database.transaction((tx) => storeLanes(tx, [{ webhookId: webhook.id, isOpen: true, state }]));
  book.found({ webhookId: webhook.id, state: 'free' }, nowMs, performance.now());
  await book.acquire();
  for (const sort of laneSorts) await book.read(sort, nowMs);
});

/** The mark of a process that is gone. */
async function abandoned(id = newCuid()): Promise<MarkedAttempt> {
  const delivery = book.find(webhook.id)?.next(nowMs);
  if (!delivery) throw new Error('nothing is pending');
  const attempt = { delivery, id, beganAtMs: nowMs, leaseUntilMs: nowMs + ATTEMPT_LEASE_MS };
  book.find(webhook.id)?.begin(attempt);
  const spec = { worker: lease.id, timeScale: 1, ended: [], unsent: [], candidates: [webhook.id] };
  await deliverTurn(database, { ...spec, choose: () => [attempt] });
  return attempt;
}

it('a turn of a worker begins nothing of a webhook whose lane is not its own', async () => {
  let given: string[] | undefined;
  const spec = { worker: newCuid(), timeScale: 1, ended: [], unsent: [], candidates: [webhook.id] };
  const { lost } = await deliverTurn(database, { ...spec, choose: (lanes) => ((given = [...lanes.keys()]), []) });
  expect([given, lost]).toEqual([[], [webhook.id]]);
});

describe('a receiver that answers, and fails', () => {
  it('gets no request before the failure is recorded, which the turns of those that give way do', async () => {
    expect(book.find(webhook.id)?.sort).toBe('answering');
    turns.interrupt(await abandoned());
    expect(laneSorts.filter((sort) => turns.hasEnded(sort))).toEqual(['giving-way']);
    expect(turns.mayBegin(webhook.id)).toBe(false);
    expect(await turns.turn('answering', [webhook.id])).toBe(0);
    await turns.turn('giving-way', []);
    expect(sent).toEqual([]);
    expect(turns.mayBegin(webhook.id)).toBe(true);
    expect(laneSorts.filter((sort) => turns.hasEnded(sort))).toEqual([]);
    // The failure has made it one that is probed.
    expect(book.find(webhook.id)?.sort).toBe('giving-way');
  });
});

describe('a receiver that has not answered yet', () => {
  const answered = async (isCut: boolean): Promise<void> => {
    await database.transaction((tx) => storeLanes(tx, [{ webhookId: webhook.id, isOpen: true, state: newLane }]));
    expect(await turns.turn('giving-way', [webhook.id])).toBe(1);
    expect(book.find(webhook.id)?.sort).toBe('giving-way');
    const seen = { durationMs: 1, responseStatus: 200, responseBody: '', error: null, retryAfterMs: null };
    answers[0]?.({ result: { ...seen, outcome: 'SUCCEEDED' }, reason: null, isCut, waitedMs: 0 });
    woken = [];
    await eventually(() => woken.length > 0);
  };

  it('is proven by its first answer, which the turns of those that answer record, without a rest before what comes next', async () => {
    await answered(false);
    expect([woken, laneSorts.filter((sort) => turns.hasEnded(sort))]).toEqual([['answering'], ['answering']]);
    expect(await turns.turn('answering', [])).toBe(2);
    expect([sent.length, book.find(webhook.id)?.sort]).toEqual([3, 'answering']);
  });

  it('gives way still when its answer is longer than what is read', async () => {
    await answered(true);
    expect([woken, laneSorts.filter((sort) => turns.hasEnded(sort))]).toEqual([['giving-way'], ['giving-way']]);
  });
});

describe('a webhook of which a turn is under way', () => {
  it('has its ends recorded by the next', async () => {
    const attempt = await abandoned();
    turns.interrupt(attempt);
    await book.whileTaken([webhook.id], async () => {
      expect(laneSorts.filter((sort) => turns.hasEnded(sort))).toEqual([]);
      expect(await turns.turn('giving-way', [])).toBe(0);
    });
    expect(turns.hasEnded('giving-way')).toBe(true);
  });
});

describe('a turn that changes the sort of a lane', () => {
  it('wakes the turns of the other sort', async () => {
    turns.interrupt(await abandoned());
    await turns.turn('answering', [webhook.id]);
    woken = [];
    await turns.turn('giving-way', []);
    expect(woken).toEqual([]);
    const state = { ...newLane, windowMax: 2 };
    await database.transaction((tx) => storeLanes(tx, [{ webhookId: webhook.id, isOpen: true, state }]));
    await turns.turn('giving-way', [webhook.id]);
    expect(book.find(webhook.id)?.sort).toBe('answering');
    expect(woken).toEqual(['answering']);
  });
});

describe('an end whose record is refused, as there is no day for its id', () => {
  it('keeps no other from being recorded, and is recorded by another id', async () => {
    const [refused, other] = [await abandoned(newCuidAt(nowMs - 60 * DAY_MS)), await abandoned()];
    for (const attempt of [refused, other]) turns.interrupt(attempt);
    for (let n = 0; n < 8 && turns.hasEnded('giving-way'); n++) {
      await turns.turn('giving-way', [webhook.id]).catch((error: unknown) => expect(sqlState(error)).toBe('23514'));
    }
    expect(turns.hasEnded('giving-way')).toBe(false);
    expect(await database.query(attemptSql, [other.id])).toHaveLength(1);
    const records = await database.query(recordedSql, [refused.delivery.id]);
    expect(records.map(({ id }) => Math.abs(cuidTime(id).getTime() - nowMs) < DAY_MS / 24)).toEqual([true]);
    expect(sent).toEqual([]);
  });

  it('leaves its webhook alone for a while when it is refused by any', async () => {
    const attempt = await abandoned();
    turns.interrupt({ ...attempt, delivery: { ...attempt.delivery, kind: 'NONE' as 'MANUAL' } });
    const rest = jest.spyOn(book, 'rest').mockResolvedValue();
    const turned = () => turns.turn('giving-way', []).catch((error: unknown) => sqlState(error));
    expect([await turned(), rest.mock.calls.length]).toEqual(['23514', 0]);
    expect([await turned(), rest.mock.calls]).toEqual(['23514', [[[webhook.id], 60_000]]]);
  });
});

describe('a webhook whose lane another session has locked', () => {
  const locked = async (work: (release: () => Promise<unknown>) => Promise<void>): Promise<void> => {
    const holder = await database.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM lane WHERE webhook_id = $1 FOR UPDATE', [webhook.id]);
      await work(() => holder.query('ROLLBACK'));
    } finally {
      holder.release(true);
    }
  };

  it('rests after a turn, which keeps its ends for a later one and wakes it', async () => {
    const attempt = await abandoned();
    await locked(async () => {
      turns.interrupt(attempt);
      expect(await turns.turn('giving-way', [webhook.id])).toBe(0);
      // No turn has it meanwhile, nor a reading: it is no loop that is always busy.
      expect(laneSorts.filter((sort) => turns.hasEnded(sort) || book.busy(sort).length > 0)).toEqual([]);
      await eventually(() => turns.hasEnded('giving-way') && woken.includes('giving-way'));
      expect(turns.mayBegin(webhook.id)).toBe(false);
    });
  });

  it('has its ends recorded, as the worker ends, when it is free again', async () => {
    const attempt = await abandoned();
    await locked(async (release) => {
      turns.interrupt(attempt);
      const rest = jest.spyOn(book, 'rest');
      const recorded = turns.recordLast();
      await eventually(() => rest.mock.calls.length > 0);
      await release();
      await recorded;
    });
    expect(await database.query(attemptSql, [attempt.id])).toHaveLength(1);
  });
});
