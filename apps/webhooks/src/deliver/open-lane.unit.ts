import { describe, expect, it } from '@jest/globals';
import type { MarkedAttempt, PendingDelivery } from '../delivery/delivery.entity.js';
import { newLane } from '../lane/lane.policy.js';
import { OpenLane } from './open-lane.js';

const NOW_MS = 1_000_000;
const PROBE_AT_MS = NOW_MS + 5_000;

function deliveryOf(position: number): PendingDelivery {
  return {
    webhookId: 'webhook',
    id: `delivery-${position}`,
    organizationId: 'organization',
    eventId: `event-${position}`,
    type: 'message.received',
    line: '',
    position,
    bodyBytes: 1_000,
    kind: 'AUTOMATIC',
    attempts: 0,
    tries: 0,
    dueAtMs: 0,
  };
}

function attemptOf(delivery: PendingDelivery): MarkedAttempt {
  return { delivery, id: `attempt-${delivery.id}`, beganAtMs: NOW_MS, leaseUntilMs: NOW_MS + 15_000 };
}

/** A webhook without its first 2xx: one request at a time. */
function laneOf(positions: readonly number[]): OpenLane {
  const lane = new OpenLane('webhook', 'organization');
  lane.beginReading();
  lane.refill({ firsts: positions.map(deliveryOf), retries: [], marked: [], moreFirsts: false, moreRetries: false });
  return lane;
}

describe('a lane that is woken', () => {
  it('is read when it is new, when something comes, and after a doubt', () => {
    const lane = new OpenLane('webhook', 'organization');
    expect(lane.mustRead(NOW_MS)).toBe(true);
    lane.beginReading();
    lane.refill({ firsts: [], retries: [], marked: [], moreFirsts: false, moreRetries: false });
    expect([lane.mustRead(NOW_MS), lane.isIdle]).toEqual([false, true]);
    lane.woken();
    expect([lane.mustRead(NOW_MS), lane.isIdle]).toEqual([true, false]);
  });

  it('is not read while its request is under way, however much comes, and is read when that has ended', () => {
    const lane = laneOf([1]);
    const attempt = attemptOf(lane.next(NOW_MS) ?? deliveryOf(0));
    lane.begin(attempt);
    for (let event = 0; event < 1_000; event++) lane.woken();
    expect(lane.mustRead(NOW_MS)).toBe(false);
    lane.ended(attempt.id, null);
    expect(lane.mustRead(NOW_MS)).toBe(true);
  });

  it('is not read while it knows more new ones than can be under way, and is once it does not', () => {
    const lane = laneOf([1, 2, 3]);
    lane.state = { ...newLane, probing: null, windowMax: 2 };
    lane.woken();
    expect(lane.mustRead(NOW_MS)).toBe(false);
    lane.begin(attemptOf(lane.next(NOW_MS) ?? deliveryOf(0)));
    expect(lane.mustRead(NOW_MS)).toBe(true);
  });

  it.each([true, false])(
    'is read before an end is recorded when that makes room for what is new: success %s',
    (isSuccess) => {
      const replays = [1, 2, 3, 4].map((position) => ({ ...deliveryOf(position), kind: 'REPLAY' as const }));
      const lane = laneOf([]);
      lane.state = { ...newLane, probing: null, windowMax: 2 };
      lane.refill({ firsts: replays, retries: [], marked: [], moreFirsts: false, moreRetries: false });
      for (let begun = 0; begun < 2; begun++) lane.begin(attemptOf(lane.next(NOW_MS) ?? deliveryOf(0)));
      lane.woken();
      expect(lane.mustRead(NOW_MS)).toBe(false);
      lane.answered({ isCut: false, isSuccess });
      expect(lane.mustRead(NOW_MS)).toBe(isSuccess);
      lane.beginReading();
      expect(lane.mustRead(NOW_MS)).toBe(false);
    },
  );

  it('is read while what it knows is sent again, or waits for what is under way', () => {
    const replays = [1, 2, 3].map((position) => ({ ...deliveryOf(position), kind: 'REPLAY' as const }));
    const ofOneLine = [1, 2, 3, 4].map((position) => ({ ...deliveryOf(position), line: 'conversation' }));
    for (const firsts of [replays, ofOneLine]) {
      const lane = laneOf([]);
      lane.state = { ...newLane, probing: null, windowMax: 2 };
      lane.refill({ firsts, retries: [], marked: [], moreFirsts: false, moreRetries: false });
      lane.begin(attemptOf(lane.next(NOW_MS) ?? deliveryOf(0)));
      lane.woken();
      expect(lane.mustRead(NOW_MS)).toBe(true);
    }
  });

  it('is not read before its next probe, and then is due', () => {
    const lane = laneOf([]);
    lane.state = { ...newLane, probing: { sinceMs: NOW_MS, failedProbes: 1, nextAtMs: PROBE_AT_MS } };
    lane.woken();
    expect([lane.mustRead(NOW_MS), lane.nextAtMs(NOW_MS)]).toEqual([false, PROBE_AT_MS]);
    expect(lane.mustRead(PROBE_AT_MS)).toBe(true);
  });

  it('is read whatever is under way when that is in doubt', () => {
    const lane = laneOf([1]);
    lane.begin(attemptOf(lane.next(NOW_MS) ?? deliveryOf(0)));
    lane.doubt();
    expect(lane.mustRead(NOW_MS)).toBe(true);
  });

  it('begins nothing while it is in doubt, and what was known to come next only if it still is', () => {
    const lane = laneOf([1, 2]);
    lane.state = { ...newLane, windowMax: 64 };
    const [first, second] = [deliveryOf(1), deliveryOf(2)];
    lane.doubt();
    expect(lane.slots(NOW_MS)).toBe(0);
    lane.beginReading();
    lane.refill({ firsts: [first, second], retries: [], marked: [], moreFirsts: false, moreRetries: false });
    expect([lane.slots(NOW_MS), lane.next(NOW_MS)]).toEqual([64, first]);
  });

  it('is read again when something came while it was read', () => {
    const lane = laneOf([]);
    lane.woken();
    lane.beginReading();
    lane.woken();
    lane.refill({ firsts: [], retries: [], marked: [], moreFirsts: false, moreRetries: false });
    expect(lane.mustRead(NOW_MS)).toBe(true);
  });
});

describe('a lane that was opened anew', () => {
  it('has one request under way with what began before, however often it is opened', () => {
    const lane = laneOf([1, 2]);
    const before = attemptOf(deliveryOf(3));
    lane.begin(before);
    lane.state = { ...newLane, openedAtMs: before.beganAtMs + 1 };
    expect(lane.slots(NOW_MS)).toBe(0);
    lane.ended(before.id, null);
    expect(lane.slots(NOW_MS)).toBe(1);
    lane.begin({ ...attemptOf(deliveryOf(1)), beganAtMs: before.beganAtMs + 1 });
    lane.state = { ...newLane, openedAtMs: before.beganAtMs + 2 };
    expect(lane.slots(NOW_MS)).toBe(0);
  });
});

describe('a lane of a receiver that has not proved to answer', () => {
  const lined = (position: number): PendingDelivery => ({ ...deliveryOf(position), line: 'conversation' });

  it('reads few of what is new, all that a blip can have made due again, and more when the first ones wait for their conversation', () => {
    const lane = new OpenLane('webhook', 'organization');
    expect([lane.sort, lane.readMax, lane.retriesMax]).toEqual(['giving-way', 16, 256]);
    const underWay = attemptOf(lined(0));
    const firsts = Array.from({ length: 16 }, (_, n) => lined(n + 1));
    lane.beginReading();
    lane.refill({ firsts, retries: [], marked: [underWay], moreFirsts: true, moreRetries: false });
    expect([lane.next(NOW_MS), lane.nextAtMs(NOW_MS)]).toEqual([null, underWay.leaseUntilMs]);
    lane.beginReading();
    expect([lane.readMax, lane.looks.lookMax]).toEqual([256, 4_096]);
    const marked = [underWay];
    lane.refill({ firsts: [deliveryOf(17)], retries: [], marked, moreFirsts: false, moreRetries: false });
    expect(lane.next(NOW_MS)?.position).toBe(17);
  });

  it('is read after a failure, however many new ones it knows: its probe is the oldest delivery that is due', () => {
    const lane = laneOf([1, 2, 3]);
    const failed = lane.next(NOW_MS) ?? deliveryOf(0);
    lane.begin(attemptOf(failed));
    lane.ended('attempt-delivery-1', NOW_MS);
    lane.state = { ...newLane, probing: { sinceMs: NOW_MS, failedProbes: 0, nextAtMs: PROBE_AT_MS } };
    expect([lane.mustRead(NOW_MS), lane.mustRead(PROBE_AT_MS)]).toEqual([false, true]);
    const retry = { ...failed, tries: 1, dueAtMs: PROBE_AT_MS + 1 };
    lane.beginReading();
    const firsts = [2, 3].map(deliveryOf);
    lane.refill({ firsts, retries: [retry], marked: [], moreFirsts: false, moreRetries: false });
    expect(lane.next(PROBE_AT_MS)?.position).toBe(2);
    expect(lane.next(PROBE_AT_MS + 1)).toEqual(retry);
    lane.woken();
    expect(lane.mustRead(PROBE_AT_MS)).toBe(false);
  });

  it('is probed with the oldest delivery that is due, not with the one that was due first', () => {
    const lane = laneOf([]);
    const [oldest, dueFirst] = [1, 3].map((position) => ({
      ...deliveryOf(position),
      tries: 1,
      dueAtMs: NOW_MS - position,
    }));
    if (!oldest || !dueFirst) throw new Error('two were made');
    lane.beginReading();
    lane.refill({
      firsts: [deliveryOf(2)],
      retries: [dueFirst, oldest],
      marked: [],
      moreFirsts: false,
      moreRetries: false,
    });
    expect(lane.next(NOW_MS)).toEqual(oldest);
  });

  it('reads on behind a conversation of which more waits than is read, and nothing of that again until all is begun', () => {
    const lane = laneOf([]);
    lane.state = { ...newLane, windowMax: 64 };
    const firsts = Array.from({ length: 256 }, (_, n) => lined(n + 1));
    const [underWay] = [attemptOf(firsts[0] ?? lined(0))];
    const marked = [underWay];
    const read = { retries: [], marked, moreFirsts: true, moreRetries: false };
    lane.doubt();
    lane.beginReading();
    expect([lane.floors.firsts, lane.looks]).toEqual([0, { lookMax: 256, ofLineMax: 256 }]);
    lane.refill({ ...read, firsts, marked: [], lookedTo: { firsts: 256, replays: null } });
    lane.begin(underWay);
    expect(lane.mustRead(NOW_MS)).toBe(true);
    lane.beginReading();
    expect([lane.floors.firsts, lane.looks]).toEqual([256, { lookMax: 4_096, ofLineMax: 17 }]);
    lane.refill({ ...read, firsts: [lined(256), lined(257)], lookedTo: { firsts: 4_351, replays: null } });
    lane.beginReading();
    expect(lane.floors.firsts).toBe(4_351);
    const other = deliveryOf(5_000);
    lane.refill({ ...read, firsts: [other], moreFirsts: false, lookedTo: { firsts: 5_001, replays: null } });
    expect([lane.next(NOW_MS), lane.mustRead(NOW_MS)]).toEqual([other, false]);
    lane.begin(attemptOf(other));
    lane.woken();
    lane.beginReading();
    expect(lane.floors.firsts).toBe(5_001);
    lane.refill({ ...read, firsts: [], moreFirsts: false });
    for (let ended = underWay; ended.delivery.position < 256;) {
      lane.ended(ended.id, null);
      expect(lane.mustRead(NOW_MS)).toBe(false);
      ended = attemptOf(lane.next(NOW_MS) ?? lined(0));
      lane.begin(ended);
      if (ended.delivery.position === 256) lane.ended(ended.id, null);
    }
    expect(lane.mustRead(NOW_MS)).toBe(true);
    lane.beginReading();
    expect(lane.looks.lookMax).toBe(256);
  });

  it('reads many once it is proven', () => {
    const lane = laneOf([]);
    lane.state = { ...newLane, windowMax: 2 };
    expect([lane.sort, lane.readMax]).toEqual(['answering', 256]);
    lane.state = { ...lane.state, probing: { sinceMs: NOW_MS, failedProbes: 0, nextAtMs: PROBE_AT_MS } };
    expect([lane.sort, lane.readMax]).toEqual(['giving-way', 16]);
  });

  it('gives way, however proven, while its responses are longer than what is read of one', () => {
    const lane = laneOf([]);
    lane.state = { ...newLane, windowMax: 64 };
    lane.answered({ isCut: true, isSuccess: true });
    expect([lane.sort, lane.readMax]).toEqual(['giving-way', 256]);
    lane.answered({ isCut: false, isSuccess: true });
    expect(lane.sort).toBe('answering');
  });

  it('reads on when its first attempts have begun, though a retry is due only later', () => {
    const lane = new OpenLane('webhook', 'organization');
    const firsts = Array.from({ length: 16 }, (_, n) => deliveryOf(n + 1));
    const retry = { ...deliveryOf(0), tries: 1, dueAtMs: NOW_MS + 30_000 };
    lane.beginReading();
    lane.refill({ firsts, retries: [retry], marked: [], moreFirsts: true, moreRetries: false });
    lane.state = { ...newLane, windowMax: 64 };
    for (const delivery of firsts) lane.begin(attemptOf(delivery));
    expect(lane.mustRead(NOW_MS)).toBe(true);
  });

  it('reads on when all that it knows waits for one conversation', () => {
    const lane = new OpenLane('webhook', 'organization');
    const firsts = Array.from({ length: 16 }, (_, n) => lined(n + 1));
    lane.beginReading();
    lane.refill({ firsts, retries: [], marked: [], moreFirsts: true, moreRetries: false });
    lane.state = { ...newLane, windowMax: 2 };
    lane.begin(attemptOf(firsts[0] ?? lined(1)));
    expect(lane.mustRead(NOW_MS)).toBe(true);
    lane.beginReading();
    expect([lane.readMax, lane.looks.lookMax]).toEqual([256, 4_096]);
  });
});
