import { Box } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Read } from './read-problem.js';
import { ProblemAlert } from './problem-alert.js';
import { fullTime } from './time.js';

/** A read whose answer the page goes on to show. */
type Shown = Read & { readonly dataUpdatedAt: number };

/** Says that what is shown is old: since when, why it could not be read again, and a way to try that. */
export function StaleNote({
  reads,
  what = 'This',
}: {
  readonly reads: readonly Shown[];
  /** Where the place does not say it. */
  readonly what?: string;
}): ReactElement | null {
  const stale = reads.filter(({ data, error }) => data !== undefined && error !== null);
  const problem = stale[0]?.error;
  if (!problem) return null;
  const since = new Date(Math.min(...stale.map(({ dataUpdatedAt }) => dataUpdatedAt)));
  return (
    <Box mb="xs">
      <ProblemAlert
        isPassing
        title={`${what} is as of ${fullTime(since.toISOString())}: it could not be read again`}
        problem={problem}
        onRetry={() => {
          for (const { refetch } of stale) void refetch();
        }}
      />
    </Box>
  );
}
