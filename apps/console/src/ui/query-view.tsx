import { Center, Skeleton, Stack, Text } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { IconListSearch } from '@tabler/icons-react';
import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactElement, type ReactNode } from 'react';
import type { Problem } from '../api/problem.js';
import { readAgain } from '../api/reading-on.js';
import type { Listed } from '../api/use-api.js';
import { BusyButton } from './busy-button.js';
import { EmptyState } from './empty-state.js';
import { ProblemAlert } from './problem-alert.js';
import { useReadProblem } from './read-problem.js';
import { StaleNote } from './stale-note.js';

/** From then on a skeleton says that it takes longer than usual. */
const LATE_MS = 5_000;

/** One answer in a page: a skeleton until it comes, the problem when it does not, and since when it is old. */
export function QueryView<T>({
  query,
  skeleton = <ListSkeleton />,
  children,
}: {
  readonly query: UseQueryResult<T, Problem>;
  readonly skeleton?: ReactNode;
  readonly children: (answer: T) => ReactNode;
}): ReactElement {
  const { problem, onRetry } = useReadProblem(query);
  if (query.data !== undefined) {
    return (
      <>
        <StaleNote reads={[query]} />
        {children(query.data)}
      </>
    );
  }
  if (problem) return <ProblemAlert problem={problem} onRetry={onRetry} />;
  return <>{skeleton}</>;
}

/** A list in a page, with what to do where it is empty and a button for more. */
export function ListView<Item>({
  list: { items, query },
  empty,
  skeleton = <ListSkeleton />,
  children,
}: {
  readonly list: Listed<Item>;
  readonly empty: ReactNode;
  readonly skeleton?: ReactNode;
  readonly children: (items: readonly Item[]) => ReactNode;
}): ReactElement {
  const { problem, onRetry } = useReadProblem(query);
  if (problem) return <ProblemAlert problem={problem} onRetry={onRetry} />;
  if (query.isPending) return <>{skeleton}</>;
  if (query.error && items.length === 0) {
    return <ProblemAlert problem={query.error} onRetry={() => void query.refetch()} />;
  }
  if (items.length === 0 && !query.hasNextPage) return <>{empty}</>;
  const { isFetchNextPageError } = query;
  return (
    <Stack gap="sm">
      {!isFetchNextPageError && <StaleNote reads={[query]} />}
      {items.length === 0 ? <NoneYet /> : children(items)}
      {isFetchNextPageError && <ProblemAlert problem={query.error} onRetry={() => readAgain(query)} />}
      <LoadMore query={query} />
    </Stack>
  );
}

/** A page looks at so much at most: what a filter wants may come behind it. */
function NoneYet(): ReactElement {
  return (
    <EmptyState icon={IconListSearch} title="Nothing found so far">
      Older entries have not been looked through.
    </EmptyState>
  );
}

function LoadMore({ query }: { readonly query: UseInfiniteQueryResult<unknown, Problem> }): ReactElement | null {
  if (!query.hasNextPage) return null;
  return (
    <Center>
      <BusyButton variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Show more
      </BusyButton>
    </Center>
  );
}

/** The shape of a list that is on its way; says so in words when that takes long. */
export function ListSkeleton({ rows = 5 }: { readonly rows?: number }): ReactElement {
  const [isLate, setLate] = useState(false);
  useTimeout(() => setLate(true), LATE_MS, { autoInvoke: true });
  return (
    <Stack gap="xs" aria-busy aria-label="Loading">
      {isLate && (
        <Text size="sm" c="dimmed" role="status">
          This takes longer than usual. The page goes on trying.
        </Text>
      )}
      {Array.from({ length: rows }, (_row, index) => (
        <Skeleton key={index} h={44} radius="md" />
      ))}
    </Stack>
  );
}
