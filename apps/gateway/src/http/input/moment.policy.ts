const FORM =
  /^(\d{4}-\d\d-\d\d)(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?)?$/;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The last moment that four digits of a year can write. */
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** The form of what `momentOf` reads, as a regular expression; whether a calendar has the day, it does not say. */
export const momentPattern = FORM.source;

/**
 * The moment that a text in the extended form of ISO 8601 names, to whole milliseconds: a date (00:00 UTC), or a date and
 * a time to the minute or finer, with an offset or, without one, in UTC.
 *
 * @returns null for anything else, dates that no calendar has and moments outside of the years 0 to 9999 included
 * Source: docs/api-behaviour.md#dates
 */
export function momentOf(text: string): Date | null {
  const match = FORM.exec(text);
  if (!match) return null;
  const [, date, hour = '00', minute = '00', second = '00', fraction = '', , sign, offsetHour, offsetMinute] = match;
  const written = `${date}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const asUtc = new Date(written);
  // 30 February is read as 2 March: what comes back is not what was written.
  if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString() !== written) return null;
  const offsetMinutes = Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0);
  const moment = new Date(asUtc.getTime() - (sign === '-' ? -1 : 1) * offsetMinutes * MINUTE_MS);
  return /^\d{4}-/.test(moment.toISOString()) ? moment : null;
}

/**
 * Where a period that ends with such a text ends, exclusively: the moment itself, and for a date the end of its day, but
 * never a moment of a year with more than four digits, which no service reads.
 *
 * @returns null as `momentOf`
 */
export function endOf(text: string): Date | null {
  const moment = momentOf(text);
  return moment && !text.includes('T') ? new Date(Math.min(moment.getTime() + DAY_MS, LAST)) : moment;
}
