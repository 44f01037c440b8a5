import { dayOf } from '../../ui/day.js';
import { oneOf } from '../../ui/one-of.js';

/** What the reports are asked for. Dates are days in `timezone`, both included. */
export interface Range {
  readonly from: string;
  readonly to: string;
  readonly granularity: 'hour' | 'day';
  readonly timezone: string;
  readonly messagingChannelId: string | null;
}

/** The last 30 days in the browser's zone. */
export function initialRange(now: Date, timezone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'): Range {
  const dayIn = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' });
  const to = dayIn.format(now);
  // Days of the calendar: those of the zone are not all of 24 hours.
  const from = new Date(Date.parse(to) - 29 * 86_400_000).toISOString().slice(0, 10);
  return { from, to, granularity: 'day', timezone, messagingChannelId: null };
}

/** The zones that the browser knows, UTC first. */
export function zones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
}

/** The range that an address names; `initial` has what it does not name, or names wrongly. */
export function rangeOf(
  kept: Readonly<Record<keyof Range, string | null>>,
  initial: Range,
  knownZones: readonly string[],
): Range {
  return {
    from: dayOf(kept.from) || initial.from,
    to: dayOf(kept.to) || initial.to,
    granularity: oneOf(['hour', 'day'], kept.granularity) ?? initial.granularity,
    timezone: oneOf(knownZones, kept.timezone) ?? initial.timezone,
    messagingChannelId: kept.messagingChannelId,
  };
}

/** The start of a point in words. */
export function labelOf(start: string, granularity: 'hour' | 'day', timezone: string): string {
  const time = granularity === 'hour' ? ({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const) : {};
  return new Intl.DateTimeFormat('en', { timeZone: timezone, month: 'short', day: 'numeric', ...time }).format(
    new Date(start),
  );
}
