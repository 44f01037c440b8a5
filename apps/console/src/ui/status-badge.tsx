import { Badge } from '@mantine/core';
import type { ReactElement } from 'react';
import classes from './status-badge.module.css';

/** What a status means for the reader. */
export type Tone = 'good' | 'busy' | 'warning' | 'bad' | 'quiet';

/** A status in words, with a color of its meaning; both colors of each tone reach 4.5 to 1. */
export function StatusBadge({ tone, children }: { readonly tone: Tone; readonly children: string }): ReactElement {
  return (
    <Badge className={classes['badge']} data-tone={tone}>
      {children}
    </Badge>
  );
}

/** A word of the API as people read it: `QUEUED_FIRST` is "Queued first". */
export function inPlainWords(word: string): string {
  const words = word.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
