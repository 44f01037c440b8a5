import { Text } from '@mantine/core';
import { useSyncExternalStore, type ReactElement } from 'react';
import { inWords } from './in-words.js';
import { everyMinute, minuteCount } from './minute-tick.js';

const full = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** A moment in words, which go on with the time: how long ago within a week, its date before; the whole time shows on hover. */
export function Time({
  at,
  fallback = 'Never',
}: {
  readonly at: string | null;
  readonly fallback?: string;
}): ReactElement {
  useSyncExternalStore(everyMinute, minuteCount);
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
