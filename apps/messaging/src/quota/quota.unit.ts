import { describe, expect, it } from '@jest/globals';
import { cuidFloor } from '@switchboard/contracts/grammar/cuid';
import { quotaMonthOf, quotaRefusalOf } from './quota.repository.js';

const idAt = (iso: string): string => `${cuidFloor(new Date(iso))}0123456789abcdef`;

describe('the month of a message', () => {
  it('turns at midnight in UTC, wherever the process runs', () => {
    expect(quotaMonthOf(idAt('2026-11-30T23:59:59.999Z'))).toBe('2026-11');
    expect(quotaMonthOf(idAt('2026-12-01T00:00:00.000Z'))).toBe('2026-12');
  });

  it('names what is used up and when it resets, at the end of a year too', () => {
    expect(quotaRefusalOf(idAt('2026-11-05T12:00:00Z'), 1_000)).toBe(
      'The monthly quota of 1,000 messages is used up; it resets on 2026-12-01 at 00:00 UTC',
    );
    expect(quotaRefusalOf(idAt('2026-12-31T23:59:59Z'), 50_000_000)).toContain('50,000,000 messages');
    expect(quotaRefusalOf(idAt('2026-11-05T12:00:00Z'), 1)).toContain('quota of 1 message is used up');
    expect(quotaRefusalOf(idAt('2026-12-31T23:59:59Z'), 0)).toContain('on 2027-01-01 at');
  });
});
