import { describe, expect, it, jest } from '@jest/globals';
import type { ReportRequest } from '@switchboard/contracts/analytics/rpc';
import { IANAZone } from 'luxon';
import { rangeOf } from './range.policy.js';

const now = new Date('2026-11-22T12:07:00.000Z');
const asked = (request: Partial<ReportRequest>): ReportRequest => ({
  from: null,
  to: null,
  granularity: 'day',
  timezone: 'UTC',
  messagingChannelId: null,
  ...request,
});
const hoursOf = (request: Partial<ReportRequest>): number[] => {
  const { bounds } = rangeOf(asked(request), now);
  return bounds.slice(1).map((bound, index) => (bound.getTime() - (bounds[index]?.getTime() ?? 0)) / 3_600_000);
};
const startsOf = (request: Partial<ReportRequest>): string[] =>
  rangeOf(asked(request), now).bounds.map((bound) => bound.toISOString());

describe('the range of a report', () => {
  it('is the last 30 days by default, to the next quarter of an hour', () => {
    const { from, to, bounds } = rangeOf(asked({}), now);
    expect([from.toISOString(), to.toISOString()]).toEqual(['2026-10-23T12:15:00.000Z', '2026-11-22T12:15:00.000Z']);
    expect(bounds[1]?.toISOString()).toBe('2026-10-24T00:00:00.000Z');
    expect(bounds).toHaveLength(32);
  });

  it('takes a date alone as that day of the zone, the last one included', () => {
    expect(startsOf({ from: '2026-03-01', to: '2026-03-01', timezone: 'Asia/Kathmandu' })).toEqual([
      '2026-02-28T18:15:00.000Z',
      '2026-03-01T18:15:00.000Z',
    ]);
  });

  it('gives luxon, which keeps each name for good, one name of a zone however it is written', () => {
    const create = jest.spyOn(IANAZone, 'create');
    const spellings = [
      'America/Argentina/Buenos_Aires',
      'America/ARgEntina/Buenos_Aires',
      'America/Argentina/BUENOS_AIRES',
    ];
    const starts = spellings.map((timezone) => startsOf({ from: '2026-03-01', to: '2026-03-01', timezone }));
    const given = create.mock.calls.map(([name]) => name);
    create.mockRestore();
    expect(starts).toEqual(spellings.map(() => ['2026-03-01T03:00:00.000Z', '2026-03-02T03:00:00.000Z']));
    expect(new Set(given).size).toBe(1);
  });

  it('refuses a zone that only another release knows', () => {
    expect(() => startsOf({ timezone: 'Mars/Olympus' })).toThrow('`timezone` must be a name of the IANA time zone');
  });

  it('rounds moments outwards to 15 minutes', () => {
    const { from, to } = rangeOf(asked({ from: '2026-03-01T10:14:59.999Z', to: '2026-03-01T11:00:00.001Z' }), now);
    expect([from.toISOString(), to.toISOString()]).toEqual(['2026-03-01T10:00:00.000Z', '2026-03-01T11:15:00.000Z']);
  });

  it('ends where years of four digits end, and begins where they begin', () => {
    for (const to of ['9999-12-31', '9999-12-31T23:59:59.999Z']) {
      expect(startsOf({ from: '9999-12-30', to }).at(-1)).toBe('9999-12-31T23:45:00.000Z');
    }
    expect(startsOf({ to: '9999-12-31', timezone: 'America/Los_Angeles' })).toHaveLength(32);
    expect(startsOf({ from: '0000-01-01', to: '0000-01-02', timezone: 'Asia/Tokyo' })[0]).toBe(
      '0000-01-01T00:00:00.000Z',
    );
  });

  it('has days of 23 and 25 hours where the zone has them', () => {
    expect(hoursOf({ from: '2026-03-28', to: '2026-03-30', timezone: 'Europe/Berlin' })).toEqual([24, 23, 24]);
    expect(hoursOf({ from: '2026-10-24', to: '2026-10-26', timezone: 'Europe/Berlin' })).toEqual([24, 25, 24]);
    // Half an hour of daylight saving.
    expect(hoursOf({ from: '2026-04-05', to: '2026-04-05', timezone: 'Australia/Lord_Howe' })).toEqual([24.5]);
    // Midnight comes twice: both are of the new day.
    expect(hoursOf({ from: '2026-10-31', to: '2026-11-02', timezone: 'Cuba' })).toEqual([24, 25, 24]);
    expect(startsOf({ from: '2026-11-01', to: '2026-11-01', timezone: 'Cuba' })[0]).toBe('2026-11-01T04:00:00.000Z');
    expect(hoursOf({ from: '2026-04-04', to: '2026-04-06', timezone: 'Pacific/Chatham' })).toEqual([24, 25, 24]);
    // Midnight is skipped.
    expect(hoursOf({ from: '2026-09-06', to: '2026-09-06', timezone: 'America/Santiago' })).toEqual([23]);
  });

  it('has as many hours as the day has, on the hours of the zone', () => {
    const hours = { granularity: 'hour' } as const;
    expect(hoursOf({ ...hours, from: '2026-10-25', to: '2026-10-25', timezone: 'Europe/Berlin' })).toEqual(
      Array.from({ length: 25 }, () => 1),
    );
    const lordHowe = hoursOf({ ...hours, from: '2026-04-05', to: '2026-04-05', timezone: 'Australia/Lord_Howe' });
    expect(lordHowe.reduce((sum, one) => sum + one, 0)).toBe(24.5);
    // Half past one comes twice, and the second time two o'clock is half an hour away.
    const night = { from: '2026-04-04T14:00:00Z', to: '2026-04-04T17:00:00Z', timezone: 'Australia/Lord_Howe' };
    const starts = startsOf({ ...hours, ...night }).map((start) => start.slice(11, 16));
    expect(starts).toEqual(['14:00', '15:00', '15:30', '16:30', '17:00']);
    const nepal = startsOf({
      ...hours,
      from: '2026-03-01T00:00:00Z',
      to: '2026-03-01T02:00:00Z',
      timezone: 'Asia/Kathmandu',
    });
    expect(nepal.map((start) => start.slice(11, 16))).toEqual(['00:00', '00:15', '01:15', '02:00']);
  });

  it.each([
    [{ from: '2026-03-02', to: '2026-03-01' }, /^`from` must be before `to`$/],
    [{ from: '2027-03-02' }, /^`from` must be before `to`$/],
    [{ from: '9999-12-31T23:50:00.000Z', to: '9999-12-31' }, /^`from` must be before `to`$/],
    [{ from: '2020-01-01', to: '2026-01-01' }, /at most 1000 points$/],
    [{ from: '2026-01-01', to: '2026-03-01', granularity: 'hour' as const }, /at most 1000 points$/],
    [{ from: '2026-02-30' }, /^`from` must be an ISO 8601/],
  ])('refuses %p', (request, message) => {
    expect(() => rangeOf(asked(request), now)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(message) }),
    );
  });

  it('takes 1,000 points', () => {
    expect(startsOf({ from: '2023-01-01', to: '2025-09-26' })).toHaveLength(1_001);
  });
});
