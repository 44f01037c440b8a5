import { describe, expect, it } from '@jest/globals';
import { labelOf } from './range.js';

describe('the start of a point', () => {
  it('is 00:00 of its own day for the first hour', () => {
    expect(labelOf('2026-01-20T00:00:00.000Z', 'hour', 'UTC')).toBe('Jan 20, 00:00');
    expect(labelOf('2026-01-20T00:00:00.000Z', 'hour', 'Europe/Berlin')).toBe('Jan 20, 01:00');
  });

  it('is a date alone for a day', () => {
    expect(labelOf('2026-01-20T00:00:00.000Z', 'day', 'UTC')).toBe('Jan 20');
  });
});
