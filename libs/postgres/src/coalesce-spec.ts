import type { Outcome, RunOptions } from './settle-batch.js';

/** How calls become batches. */
export interface CoalesceSpec<I, O> {
  /** Label of spans and metrics. */
  readonly name: string;
  /** One transaction; answers as many outcomes as items, in their order. */
  run(items: readonly I[], options: RunOptions): Promise<readonly Outcome<O>[]>;
  /** Whose item it is: tenants take turns, so that a flood cannot fill a batch. */
  tenant(item: I): string;
  /** Whose rows it locks, where an organization has several tenants; the tenant by default. */
  organization?(item: I): string;
  /** Equal keys are never in two batches at once. */
  serialKey?(item: I): string;
  /**
   * Whether the batch is run again after an error that proves its rollback, and so many runs. By default after a conflict
   * (40001, 40P01), three runs at most.
   */
  runsAgain?(error: unknown, runs: number): boolean;
  /** Approximate bytes of an item; needed where items may be large. */
  bytes?(item: I): number;
  readonly limits: {
    /** Items of a batch at most. */
    readonly items: number;
    /** Bytes of a batch at most; a larger single item goes alone. */
    readonly bytes: number;
    /** Batches under way at once. */
    readonly inFlight: number;
    /** Items waiting at most; one tenant holds at most a quarter of them. */
    readonly waiting: number;
  };
}

/** An ordinary async function to its callers. */
export interface Coalesced<I, O> {
  (item: I, signal?: AbortSignal): Promise<O>;
  /** Refuses new items and resolves when all that were taken have their outcome. */
  drain(): Promise<void>;
}
