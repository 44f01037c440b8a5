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
import { useEffect } from 'react';
import type { Operations } from './api.generated.js';
import { call, type Answer, type Input } from './call.js';
import { holdPage } from './held-page.js';
import { mayBeDone, problemOf, type Problem } from './problem.js';
import { showDone, showProblem } from '../ui/notices.js';

type Name = keyof Operations;

/** The item of a list that an operation answers. */
export type ItemOf<N extends Name> = Answer<N> extends { readonly items: readonly (infer Item)[] } ? Item : never;

/** A list read page by page. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly query: UseInfiniteQueryResult<InfiniteData<unknown>, Problem>;
}

/** Reads one operation; its answer is kept under the operation's name and input. @param options.pollMs repeats it */
export function useRead<N extends Name>(
  name: N,
  input: Input<N>,
  options: { readonly enabled?: boolean; readonly pollMs?: number | false } = {},
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
export function useList<N extends Name>(
  name: N,
  input: Input<N>,
  options: { readonly enabled?: boolean; readonly pollMs?: number | false } = {},
): Listed<ItemOf<N>> {
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
export function useWholeList<N extends Name>(name: N, input: Input<N>): Listed<ItemOf<N>> {
  const { query, ...rest } = input as { readonly query?: object };
  const list = useList(name, { ...rest, query: { limit: 100, ...query } } as unknown as Input<N>);
  const { hasNextPage, isFetching, isError, fetchNextPage } = list.query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return list;
}

/** How a change is made, and what it does when it has succeeded. */
export interface ChangeOptions<N extends Name> {
  /** Makes it, where that is more than the one call. */
  readonly make?: (input: Input<N>) => Promise<Answer<N>>;
  /** The operations whose answers it makes old; they are read anew as well when it may have been carried out. */
  readonly refreshes?: readonly Name[];
  /** A sentence to show. */
  readonly done?: string | ((answer: Answer<N>) => string);
  readonly onDone?: (answer: Answer<N>) => void;
  /** True: the page shows the refusal itself, next to the form. */
  readonly isQuiet?: boolean;
  /** True: its answer is shown this once, so the page is not left before it comes. */
  readonly isShownOnce?: boolean;
}

/** Changes something by one operation; a refusal is shown as a notice unless the page shows it. */
export function useChange<N extends Name>(
  name: N,
  {
    make = (input) => call(name, input),
    refreshes = [],
    done,
    onDone,
    isQuiet = false,
    isShownOnce = false,
  }: ChangeOptions<N> = {},
): UseMutationResult<Answer<N>, Problem, Input<N>> {
  const client = useQueryClient();
  const refreshOne = async (one: Name): Promise<void> => {
    // A first read that is under way would go on otherwise, and may be older than the change.
    await client.cancelQueries({ queryKey: [one] });
    await client.invalidateQueries({ queryKey: [one] });
  };
  const refresh = (): Promise<unknown> => Promise.all(refreshes.map(refreshOne));
  return useMutation<Answer<N>, Problem, Input<N>, (() => void) | null>({
    mutationFn: (input) => make(input).catch(rethrow),
    onMutate: () => (isShownOnce ? holdPage() : null),
    onSuccess: async (answer) => {
      if (done !== undefined) showDone(typeof done === 'string' ? done : done(answer));
      onDone?.(answer);
      await refresh();
    },
    onError: (problem) => {
      if (!isQuiet) showProblem(problem);
      // What the page shows is old where somebody else has taken it away, and may be where no answer says what became of the change.
      if (problem.status === 404 || mayBeDone(problem)) void refresh();
    },
    onSettled: (_answer, _problem, _input, release) => release?.(),
  });
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

function rethrow(thrown: unknown): never {
  if (thrown instanceof DOMException) throw thrown;
  throw problemOf(thrown);
}
