import { Text } from '@mantine/core';
import type { ReactElement } from 'react';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const full = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** A moment in words: how long ago within a week, its date before; the whole time shows on hover. */
export function Time({
  at,
  fallback = 'Never',
}: {
  readonly at: string | null;
  readonly fallback?: string;
}): ReactElement {
  if (at === null)
    return (
      <Text span inherit c="dimmed">
        {fallback}
      </Text>
    );
  const moment = new Date(at);
  return (
    // The browser's own tooltip: a component for each row made up most of the work of drawing a list.
    <time dateTime={at} title={full.format(moment)}>
      {inWords(moment, Date.now())}
    </time>
  );
}

/** A moment with its time of day, in the browser's zone. */
export function fullTime(at: string): string {
  return full.format(new Date(at));
}

/** @param nowMs milliseconds since 1970 */
export function inWords(moment: Date, nowMs: number): string {
  const seconds = (moment.getTime() - nowMs) / 1_000;
  if (Math.abs(seconds) >= 7 * 86_400) return day.format(moment);
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return Math.abs(seconds) < 10 ? 'just now' : relative.format(Math.round(seconds), 'second');
}
