import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Operations } from './api.generated.js';
import { call, type Answer, type Input } from './call.js';
import { changeOf, type ChangeOptions } from './change.js';
import { rethrow, type Problem } from './problem.js';
import { onceAtATime } from './once-at-a-time.js';
import { useReadOn } from './reading-on.js';

type Name = keyof Operations;

/** The item of a list that an operation answers. */
export type ItemOf<N extends Name> = Answer<N> extends { readonly items: readonly (infer Item)[] } ? Item : never;

interface ReadOptions {
  readonly enabled?: boolean;
  /** Milliseconds until it is read again. */
  readonly pollMs?: number | false;
}

/** A list read page by page. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly query: UseInfiniteQueryResult<InfiniteData<unknown>, Problem>;
}

/** Reads one operation; its answer is kept under the operation's name and input. */
export function useRead<N extends Name>(
  name: N,
  input: Input<N>,
  options: ReadOptions = {},
): UseQueryResult<Answer<N>, Problem> {
  return useQuery<Answer<N>, Problem>({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, { ...input, signal }).catch(rethrow),
    enabled: options.enabled ?? true,
    refetchInterval: options.pollMs ?? false,
    placeholderData: keepPreviousData,
  });
}

/** Reads a list, one page of 50 after the other. */
export function useList<N extends Name>(name: N, input: Input<N>, options: ReadOptions = {}): Listed<ItemOf<N>> {
  const query = useInfiniteQuery<Page, Problem, InfiniteData<Page>, readonly unknown[], string | undefined>({
    queryKey: [name, 'pages', input],
    queryFn: ({ pageParam, signal }) => readPage(name, input, pageParam, signal),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.nextCursor,
    enabled: options.enabled ?? true,
    refetchInterval: options.pollMs ?? false,
    placeholderData: keepPreviousData,
  });
  const items = (query.data?.pages ?? []).flatMap((page) => page.items) as readonly ItemOf<N>[];
  return { items, query: query as UseInfiniteQueryResult<InfiniteData<unknown>, Problem> };
}

/** Reads a list to its end, a page of 100 after the other: for what counts, names or offers every item. It stops at a failure, which `query` has. */
export function useWholeList<N extends Name>(name: N, input: Input<N>, options: ReadOptions = {}): Listed<ItemOf<N>> {
  const { query, ...rest } = input as { readonly query?: object };
  const list = useList(name, { ...rest, query: { limit: 100, ...query } } as unknown as Input<N>, options);
  const readOn = useReadOn(list.query);
  useEffect(readOn, [readOn]);
  return list;
}

/** A change, and what became of the last one. */
export type Change<N extends Name> = Pick<
  UseMutationResult<Answer<N>, Problem, Input<N>>,
  'data' | 'error' | 'isPending' | 'reset' | 'variables'
> & { readonly mutate: (input: Input<N>) => void };

/**
 * Changes something by one operation; a refusal is shown as a notice unless the page shows it. What is asked for while the same is under way
 * is that.
 */
export function useChange<N extends Name>(name: N, options: ChangeOptions<N> = {}): Change<N> {
  const { mutateAsync, ...change } = useMutation(changeOf(useQueryClient(), name, options));
  // A failure is shown by `changeOf`, and is in the result.
  const [mutate] = useState(() => onceAtATime((input: Input<N>) => mutateAsync(input).catch(() => undefined)));
  return { ...change, mutate };
}

interface Page {
  readonly items: readonly unknown[];
  readonly nextCursor?: string;
}

async function readPage<N extends Name>(
  name: N,
  input: Input<N>,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Page> {
  const { query, ...rest } = input as { readonly query?: object };
  const asked = { ...rest, query: { limit: 50, ...query, cursor }, signal };
  return (await call(name, asked as unknown as Input<N>).catch(rethrow)) as unknown as Page;
}
