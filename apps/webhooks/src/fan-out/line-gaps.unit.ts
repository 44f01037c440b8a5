import { beforeEach, describe, expect, it } from '@jest/globals';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { LineGaps, PATIENCE_MS } from './line-gaps.js';

const HOUR_MS = 3_600_000;
let nowMs: number;
let gaps: LineGaps;
beforeEach(() => {
  nowMs = 1_000;
  gaps = new LineGaps(() => nowMs, 2);
});

function eventOf(aggregateId: string, ageMs = HOUR_MS): EventEnvelope {
  const occurredAt = new Date(Date.now() - ageMs).toISOString();
  return { id: 'e', subject: 's', organizationId: 'o', aggregateId, sequence: 9, occurredAt, data: null };
}

/** Looks at the gap behind a number for so long, as often as what waits is tried. @returns how long it would wait still */
function lookFor(line: string, last: number, forMs: number): number {
  const endMs = nowMs + forMs;
  while (nowMs + 5_000 < endMs) {
    nowMs += 5_000;
    gaps.restMs(eventOf(line), last);
  }
  nowMs = endMs;
  return gaps.restMs(eventOf(line), last);
}

describe('the patience for what is missing in a line', () => {
  it('begins when it is first missed, however old the event is that waits, and ends', () => {
    expect(gaps.restMs(eventOf('a'), 7)).toBe(PATIENCE_MS);
    expect([lookFor('a', 7, PATIENCE_MS - 1), gaps.restMs(eventOf('b'), 7)]).toEqual([1, PATIENCE_MS]);
    expect(lookFor('a', 7, 1)).toBe(0);
  });

  it('begins anew when the line moves on, and when it is behind again after a restore', () => {
    gaps.restMs(eventOf('a'), 5);
    expect(lookFor('a', 5, PATIENCE_MS)).toBe(0);
    expect(gaps.restMs(eventOf('a'), 7)).toBe(PATIENCE_MS);
    expect(lookFor('a', 7, 10_000)).toBe(PATIENCE_MS - 10_000);
    gaps.close('a');
    expect(gaps.restMs(eventOf('a'), 7)).toBe(PATIENCE_MS);
    expect(lookFor('a', 7, PATIENCE_MS)).toBe(0);
    expect(gaps.restMs(eventOf('a'), 3)).toBe(PATIENCE_MS);
  });

  it('begins anew when nothing could be tried for long', () => {
    gaps.restMs(eventOf('a'), 5);
    nowMs += PATIENCE_MS;
    expect(gaps.restMs(eventOf('a'), 5)).toBe(PATIENCE_MS);
  });

  it('is counted from the occurrence where more lines have a gap than are remembered', () => {
    for (const line of ['a', 'b']) gaps.restMs(eventOf(line), 1);
    expect(gaps.restMs(eventOf('c'), 1)).toBe(0);
    expect(gaps.restMs(eventOf('c', 1_000), 1)).toBeGreaterThan(0);
    expect(gaps.restMs(eventOf('a'), 1)).toBe(PATIENCE_MS);
    gaps.close('b');
    expect(gaps.restMs(eventOf('c'), 1)).toBe(PATIENCE_MS);
  });

  it('forgets gaps that ended without a trace', () => {
    for (const line of ['a', 'b']) gaps.restMs(eventOf(line), 1);
    nowMs += 60_000;
    expect(gaps.restMs(eventOf('c'), 1)).toBe(PATIENCE_MS);
  });
});
