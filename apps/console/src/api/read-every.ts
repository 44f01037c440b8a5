import type { Operations } from './api.generated.js';
import { call, type Input } from './call.js';
import { problemOf } from './problem.js';
import type { ItemOf } from './use-api.js';

/** How often one page is asked for before its refusal is thrown. */
const TRIES_MAX = 6;
/** The rate is one of requests a minute: a longer wait is none of the rate. */
const WAIT_SECONDS_MAX = 60;

/**
 * Reads a list to its end, for a file. Many pages are more than the rate allows: a refused one is read again after its `Retry-After`, and
 * with growing pauses.
 *
 * @param input its `query` may hold filters
 * @throws Problem when a page is refused for another reason, too often, or for longer than a minute
 */
export async function readEvery<N extends keyof Operations>(
  name: N,
  input: Input<N>,
  pause: (seconds: number) => Promise<unknown> = wait,
): Promise<ItemOf<N>[]> {
  const items: ItemOf<N>[] = [];
  let cursor: string | undefined;
  do {
    const { query, ...rest } = input as { readonly query?: object };
    const asked = { ...rest, query: { ...query, limit: 100, cursor } } as unknown as Input<N>;
    const page: Page<ItemOf<N>> = await patiently(
      () => call(name, asked) as Promise<unknown> as Promise<Page<ItemOf<N>>>,
      pause,
    );
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

async function patiently<Result>(
  read: () => Promise<Result>,
  pause: (seconds: number) => Promise<unknown>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await read();
    } catch (error) {
      const { status, retryAfterSeconds } = problemOf(error);
      const isBusy = status === 429 || status === 503;
      const seconds = Math.max(retryAfterSeconds ?? 1, 2 ** (tries - 1));
      if (!isBusy || tries === TRIES_MAX || seconds > WAIT_SECONDS_MAX) throw error;
      await pause(seconds);
    }
  }
}

function wait(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
}
