import type { Granularity } from '@switchboard/contracts/analytics/http';
import type { ReportRequest } from '@switchboard/contracts/analytics/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { DateTime } from 'luxon';
import { zoneOf } from './zone.policy.js';

/** What a report covers. */
export interface ReportRange {
  /** Where each point begins, and the end of the last: at least two, multiples of 15 minutes. */
  readonly bounds: readonly Date[];
  readonly from: Date;
  readonly to: Date;
}

const POINTS_MAX = 1_000;
const GRAIN_MS = 15 * 60_000;
const HOUR_MS = 60 * 60_000;
const DEFAULT_DAYS = 30;
/** The first and the last bound that answers can write: years have four digits. */
const EARLIEST = Date.parse('0000-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:45:00.000Z');
const DATE_ALONE = /^\d{4}-\d\d-\d\d$/;

/**
 * The range that a request names, in points of its zone: days of 23 and 25 hours, and hours of zones that are not whole
 * hours away from UTC, are as long as they are there.
 *
 * @throws VALIDATION_FAILED that names the field
 * Source: docs/api-behaviour.md#analytics-range
 */
export function rangeOf({ from, to, granularity, timezone }: ReportRequest, now: Date): ReportRange {
  const zone = zoneOf(timezone);
  if (zone === null) throw invalid('`timezone` must be a name of the IANA time zone database');
  const end = ceiling(to === null ? now.getTime() : momentOf(to, zone, 'to'));
  const start = floor(from === null ? defaultStart(end, zone) : momentOf(from, zone, 'from'));
  if (start >= end) throw invalid('`from` must be before `to`');
  const bounds = [new Date(start)];
  for (let at = start; at < end;) {
    at = Math.min(nextPoint(at, granularity, zone), end);
    bounds.push(new Date(at));
    if (bounds.length > POINTS_MAX + 1) {
      throw invalid(`\`from\`, \`to\` and \`granularity\` must give at most ${POINTS_MAX} points`);
    }
  }
  return { bounds, from: new Date(start), to: new Date(end) };
}

/** A date alone is that day in the zone: its beginning, or as an end the beginning of the next. Else it is UTC. */
function momentOf(text: string, zone: string, field: 'from' | 'to'): number {
  const isDay = DATE_ALONE.test(text);
  const written = DateTime.fromISO(text, { zone: isDay ? zone : 'utc' });
  if (!written.isValid) throw invalid(`\`${field}\` must be an ISO 8601 date, or date and time`);
  if (!isDay) return written.toMillis();
  return startOfDay(field === 'to' ? written.plus({ days: 1 }) : written);
}

/** Where midnight comes twice, the first one. */
function startOfDay(time: DateTime): number {
  const midnights = time.startOf('day').getPossibleOffsets();
  return Math.min(...midnights.map((midnight) => midnight.toMillis()));
}

function defaultStart(end: number, zone: string): number {
  return DateTime.fromMillis(end, { zone }).minus({ days: DEFAULT_DAYS }).toMillis();
}

/** A day that has no midnight begins later; an hour that a shift cuts short ends early. */
function nextPoint(at: number, granularity: Granularity, zone: string): number {
  const here = DateTime.fromMillis(at, { zone });
  const next = granularity === 'day' ? startOfDay(here.plus({ days: 1 })) : nextHour(here);
  // The zone may have gone back in between, so that what begins next is not later.
  return next > at ? ceiling(next) : at + HOUR_MS;
}

/** Where the zone does not shift until then, by adding: a month has 720 hours, and the calendar's way takes 25 to 70 µs. */
function nextHour(here: DateTime): number {
  const offsetMs = here.offset * 60_000;
  const next = (Math.floor((here.toMillis() + offsetMs) / HOUR_MS) + 1) * HOUR_MS - offsetMs;
  if (here.zone.offset(next) === here.offset) return next;
  return here.startOf('hour').plus({ hours: 1 }).startOf('hour').toMillis();
}

function floor(ms: number): number {
  return Math.max(Math.floor(ms / GRAIN_MS) * GRAIN_MS, EARLIEST);
}

function ceiling(ms: number): number {
  return Math.min(Math.ceil(ms / GRAIN_MS) * GRAIN_MS, LATEST);
}

function invalid(message: string): AppError {
  return new AppError(serviceErrors.VALIDATION_FAILED, message);
}
