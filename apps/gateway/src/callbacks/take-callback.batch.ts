import { appendEvents, type NewEvent } from '@switchboard/outbox';
import type { Database } from '@switchboard/postgres';
import { coalesce, type Coalesced, type Outcome } from '@switchboard/postgres/coalesce';

/** One callback, split. */
export interface SplitCallbackItem {
  /** The business account: accounts take turns. */
  readonly account: string;
  readonly events: readonly NewEvent<unknown>[];
  /** Of the raw callback. */
  readonly bytes: number;
}

const LIMITS = { items: 200, bytes: 8 * 1_024 * 1_024, inFlight: 2, waiting: 4_000 };

/**
 * Commits concurrent callbacks in few transactions; resolves when the callback's events are committed to the outbox.
 *
 * @param run for tests, which look at the batches
 */
export function coalesceCallbacks(database: Database, run = runCallbacks): Coalesced<SplitCallbackItem, void> {
  return coalesce({
    name: 'take-callback',
    limits: LIMITS,
    tenant: ({ account }) => account,
    bytes: ({ bytes }) => bytes,
    run: (items) => run(database, items),
  });
}

/** One batch: all of its events, in the order of its callbacks. */
export async function runCallbacks(database: Database, items: readonly SplitCallbackItem[]): Promise<Outcome<void>[]> {
  await database.transaction(async (tx) =>
    appendEvents(
      tx,
      items.flatMap(({ events }) => events),
    ),
  );
  return items.map(() => ({ ok: undefined }));
}
