import { Box } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Problem } from '../../api/problem.js';
import { readAgain } from '../../api/reading-on.js';
import { ProblemAlert } from '../../ui/problem-alert.js';

/** What a list that is shown all the same failed with: without it, what is missing would be missing without a sign. */
export function ReadingProblem({
  query,
  what,
}: {
  readonly query: Parameters<typeof readAgain>[0] & { readonly error: Problem | null };
  readonly what: string;
}): ReactElement | null {
  if (!query.error) return null;
  return (
    <Box p="xs">
      <ProblemAlert problem={query.error} title={what} onRetry={() => readAgain(query)} />
    </Box>
  );
}
