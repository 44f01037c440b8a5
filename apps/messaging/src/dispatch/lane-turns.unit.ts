import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { spacingOf } from '../bulk-lane/lane-pace.policy.js';
import type { AttemptLane } from './dispatch.entity.js';
import { LATE_MAX_MS, LaneTurns, type LaneTurn } from './lane-turns.js';

const never = new AbortController().signal;

describe('the turns of a lane', () => {
  let nowMs = 0;
  let turns: LaneTurns;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    nowMs = 0;
    turns = new LaneTurns({ monotonic: () => nowMs }, waitFake);
  });
  afterEach(() => void jest.useRealTimers());

  /** As `pause`, by the faked timers. */
  async function waitFake(ms: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, ms);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Time passes a millisecond at a time, as timers see it. */
  async function pass(ms: number): Promise<void> {
    for (let n = 0; n < ms; n++) {
      nowMs++;
      await jest.advanceTimersByTimeAsync(1);
    }
  }
  const lane = (beginAtMs: number, throttlePerHour: number | null = 36_000): AttemptLane => {
    return { jobId: 'job', slotMs: beginAtMs, beginAtMs, spacing: throttlePerHour ? spacingOf(throttlePerHour) : null };
  };
  function take(attempt: AttemptLane, onTurn: (turn: LaneTurn) => void): { answer: LaneTurn | null | undefined } {
    const taken: { answer: LaneTurn | null | undefined } = { answer: undefined };
    void turns.take('organization', attempt, never).then((turn) => {
      taken.answer = turn;
      if (turn) onTurn(turn);
    });
    return taken;
  }

  it('begin at their slots, and at their distance from one that began late', async () => {
    const begun: number[] = [];
    const beginLate = (turn: LaneTurn): void => {
      setTimeout(() => (begun.push(nowMs), turn.begin(), turn.end()), 30);
    };
    const begin = (turn: LaneTurn): void => (begun.push(nowMs), turn.begin(), turn.end());
    take(lane(10), beginLate);
    take(lane(110), begin);
    take(lane(210), begin);
    await pass(400);
    expect(begun).toEqual([40, 140, 240]);
  });

  it('are missed when they come too late, and hold up none behind them', async () => {
    nowMs = 1_000;
    const [late, next] = [
      take(lane(1_000 - LATE_MAX_MS - 1), () => undefined),
      take(lane(1_000), (turn) => turn.end()),
    ];
    await pass(5);
    expect([late.answer, next.answer === null]).toEqual([null, false]);
  });

  it('are no more than a window holds where timers cannot keep the distance', async () => {
    const begun: number[] = [];
    for (let n = 0; n < 45; n++) take(lane(n * 5, 720_000), (turn) => (begun.push(nowMs), turn.begin(), turn.end()));
    // All at once late by 60 ms: none is made up for within a window.
    nowMs = 60;
    await pass(400);
    expect(begun.length).toBeGreaterThan(20);
    for (const [index, at] of begun.entries()) {
      expect(at - (begun[index - 20] ?? -Infinity)).toBeGreaterThanOrEqual(100);
    }
  });

  it('are taken a few together without a throttle, none before its slot, and by what is due at once', async () => {
    const begun: number[] = [];
    const begin = (turn: LaneTurn): void => (begun.push(nowMs), turn.begin(), turn.end());
    nowMs = 10;
    for (const slotMs of [5, 20, 32.5, 45, 57.5, 70, 100]) take(lane(slotMs, null), begin);
    await jest.advanceTimersByTimeAsync(0);
    await pass(100);
    expect(begun).toEqual([10, 50, 50, 50, 100, 100, 100]);
  });

  it('end when the process stops, and wait for no other lane', async () => {
    const stopping = new AbortController();
    const waiting = turns.take('organization', lane(5_000), stopping.signal);
    let isFree = false;
    take({ ...lane(1), jobId: 'another' }, () => (isFree = true));
    await pass(3);
    stopping.abort();
    expect([await waiting, isFree]).toEqual([null, true]);
  });
});
