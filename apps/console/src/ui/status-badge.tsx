import { Badge } from '@mantine/core';
import type { ReactElement } from 'react';

/** What a status means for the reader. */
export type Tone = 'good' | 'busy' | 'warning' | 'bad' | 'quiet';

const colors: Readonly<Record<Tone, string>> = {
  good: 'teal',
  busy: 'indigo',
  warning: 'yellow',
  bad: 'red',
  quiet: 'gray',
};

/** A status in words, with a color of its meaning. */
export function StatusBadge({ tone, children }: { readonly tone: Tone; readonly children: string }): ReactElement {
  return (
    <Badge color={colors[tone]} autoContrast>
      {children}
    </Badge>
  );
}

/** A word of the API as people read it: `QUEUED_FIRST` is "Queued first". */
export function inPlainWords(word: string): string {
  const words = word.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
