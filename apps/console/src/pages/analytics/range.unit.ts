import { describe, expect, it } from '@jest/globals';
import { initialRange, labelOf, rangeOf, type Range } from './range.js';

describe('the start of a point', () => {
  it('is 00:00 of its own day for the first hour', () => {
    expect(labelOf('2026-01-20T00:00:00.000Z', 'hour', 'UTC')).toBe('Jan 20, 00:00');
    expect(labelOf('2026-01-20T00:00:00.000Z', 'hour', 'Europe/Berlin')).toBe('Jan 20, 01:00');
  });

  it('is a date alone for a day', () => {
    expect(labelOf('2026-01-20T00:00:00.000Z', 'day', 'UTC')).toBe('Jan 20');
  });
});

describe('the initial range', () => {
  it('has 30 days, also where one of them has 23 hours', () => {
    const afterSpring = new Date('2026-04-09T22:30:00Z');
    expect(initialRange(afterSpring, 'Europe/Berlin')).toMatchObject({ from: '2026-03-12', to: '2026-04-10' });
    expect(initialRange(new Date('2026-01-05T12:00:00Z'), 'UTC')).toMatchObject({
      from: '2025-12-07',
      to: '2026-01-05',
    });
  });
});

describe('the range that an address names', () => {
  const initial: Range = {
    from: '2026-01-01',
    to: '2026-01-30',
    granularity: 'day',
    timezone: 'UTC',
    messagingChannelId: null,
  };

  it('has what it names', () => {
    const kept = {
      from: '2026-02-01',
      to: '2026-02-02',
      granularity: 'hour',
      timezone: 'Europe/Berlin',
      messagingChannelId: 'c1',
    };
    expect(rangeOf(kept, initial, ['UTC', 'Europe/Berlin'])).toEqual(kept);
  });

  it('has the initial values for what is missing, and for what is no day, zone or step', () => {
    const none = { from: null, to: null, granularity: null, timezone: null, messagingChannelId: null };
    expect(rangeOf(none, initial, ['UTC'])).toEqual(initial);
    const wrong = { ...none, from: '2026-02-31T', to: '2026-13-01', granularity: 'week', timezone: 'Mars/Base' };
    expect(rangeOf(wrong, initial, ['UTC'])).toEqual(initial);
  });
});
