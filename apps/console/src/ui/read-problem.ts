import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { Problem } from '../api/problem.js';

/** A read of which a place in a page needs the answer. */
export type Read = Pick<UseQueryResult<unknown, Problem>, 'data' | 'error' | 'errorUpdateCount'> & {
  readonly refetch: () => Promise<unknown>;
};

/** Why a place in a page has nothing to show, and what repeats the reads that failed. */
export interface ReadProblem {
  readonly problem: Problem | null;
  readonly onRetry: () => void;
}

/**
 * The problem of reads that have no answer yet. A poll takes it from its query while it asks again: the page keeps it, with its button,
 * until an answer comes. Where a person asks again there is none until then.
 */
export function useReadProblem(...reads: readonly Read[]): ReadProblem {
  const unread = reads.filter(({ data }) => data === undefined);
  const found = unread.find(({ error }) => error !== null)?.error ?? null;
  const failures = unread.reduce((sum, { errorUpdateCount }) => sum + errorUpdateCount, 0);
  const [kept, setKept] = useState<Problem | null>(null);
  const [repeated, setRepeated] = useState(0);
  if (found !== null && found !== kept) setKept(found);
  return {
    problem: found ?? (failures > repeated ? kept : null),
    onRetry: () => {
      setRepeated(failures);
      for (const { error, errorUpdateCount, refetch } of unread) {
        if (error !== null || errorUpdateCount > 0) void refetch();
      }
    },
  };
}
