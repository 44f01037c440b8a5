import type { QueryClient } from '@tanstack/react-query';

/** The age of an answer that must be read again: any staleTime but none, and still not that of one that was never read, which is 0. */
const LONG_AGO = 1;

/** Infinity for an answer that is as it was read; 0 where it was never read to its end, or must be read again. */
export function untilInvalidated({ state }: { readonly state: { readonly dataUpdatedAt: number } }): number {
  return state.dataUpdatedAt <= LONG_AGO ? 0 : Infinity;
}

/**
 * Changes a part of an answer that pages hold, if they hold one. It is no reading of it: its age stays, and so does what its
 * last reading failed with, and that it must be read again.
 */
export function changeAnswer<Data>(
  client: QueryClient,
  queryKey: readonly unknown[],
  change: (old: Data | undefined) => Data | undefined,
): void {
  const query = client.getQueryCache().find({ queryKey });
  if (!query) return;
  const { dataUpdatedAt, isInvalidated, error } = query.state;
  // The age as well: a reading that is given up restores the data without the marks below.
  const updatedAt = isInvalidated ? Math.min(dataUpdatedAt, LONG_AGO) : dataUpdatedAt;
  client.setQueryData<Data>(queryKey, (old) => change(old), { updatedAt });
  if (isInvalidated) query.setState({ isInvalidated, ...(error !== null && { error, status: 'error' as const }) });
}
