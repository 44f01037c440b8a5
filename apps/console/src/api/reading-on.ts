import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';

/** What of a list decides whether more of it is read. */
export type Readable = Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetching' | 'isError'> & ReadsNext;

interface ReadsNext {
  readonly fetchNextPage: () => Promise<unknown>;
}

/**
 * Reads the next page of a list where that is possible. Not over another reading, which it would cancel; and not behind a
 * failure, which it would repeat without end or hide: `readAgain` is for people to choose.
 */
export function readOn({ hasNextPage, isFetching, isError, fetchNextPage }: Readable): void {
  if (hasNextPage && !isFetching && !isError) void fetchNextPage();
}

/** Repeats what failed: the reading of the next page, or of all. */
export function readAgain({
  isFetchNextPageError,
  fetchNextPage,
  refetch,
}: Pick<UseInfiniteQueryResult, 'isFetchNextPageError' | 'refetch'> & ReadsNext): void {
  void (isFetchNextPageError ? fetchNextPage() : refetch());
}

/** `readOn` for an effect: another function whenever it may do something else. */
export function useReadOn({ hasNextPage, isFetching, isError, fetchNextPage }: Readable): () => void {
  return useCallback(
    () => readOn({ hasNextPage, isFetching, isError, fetchNextPage }),
    [hasNextPage, isFetching, isError, fetchNextPage],
  );
}
