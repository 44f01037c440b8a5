import { describe, expect, it } from '@jest/globals';
import { estimateCompletion, measurePace, type PaceMark } from './job-estimate.policy.js';

const START = new Date('2026-02-03T04:05:06.000Z');
const after = (seconds: number): Date => new Date(START.getTime() + seconds * 1_000);

describe('the estimate of a job', () => {
  it.each([0.1, 0.5, 0.9])('is within 20 %% of what is left of a throttled job when %d of it are begun', (share) => {
    const total = 3_600;
    const throttlePerHour = 7_200;
    let measured: { mark: PaceMark | null; perSecond: number | null } = { mark: null, perSecond: null };
    // The lane begins one every half second, and is looked at once a second.
    const seconds = (total * share) / 2;
    for (let at = 0; at <= seconds; at++) measured = measurePace(measured, at * 2, after(at));
    const pace = { throttlePerHour, lanePerSecond: 2, begunPerSecond: measured.perSecond };
    const left = total - seconds * 2;
    const estimate = estimateCompletion(pace, left, after(seconds));
    const leftMs = (estimate?.getTime() ?? 0) - after(seconds).getTime();
    expect(leftMs / 1_000 / (left / 2)).toBeGreaterThan(0.8);
    expect(leftMs / 1_000 / (left / 2)).toBeLessThan(1.2);
  });

  it('follows what an upstream slower than the throttle makes of it', () => {
    let measured: { mark: PaceMark | null; perSecond: number | null } = { mark: null, perSecond: null };
    for (let at = 0; at <= 100; at++) measured = measurePace(measured, at * 5, after(at));
    const pace = { throttlePerHour: 36_000, lanePerSecond: 10, begunPerSecond: measured.perSecond };
    expect(estimateCompletion(pace, 500, START)).toEqual(after(100));
  });

  it('is null while no pace is known', () => {
    const pace = { throttlePerHour: null, lanePerSecond: null, begunPerSecond: null };
    expect(estimateCompletion(pace, 500, START)).toBeNull();
  });

  it('measures nothing of a few attempts', () => {
    const mark = { at: START, begun: 0 };
    expect(measurePace({ mark, perSecond: 3 }, 9, after(60))).toEqual({ mark, perSecond: 3 });
  });
});
