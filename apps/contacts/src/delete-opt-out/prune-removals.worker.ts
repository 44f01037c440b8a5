import { PruneWorker } from '@switchboard/platform';
import { pruneRemovals } from './unconfirmed-removal.repository.js';

/** Deletes unconfirmed removals of opt-outs whose callers have not asked again for a day. */
export const removalPruner = PruneWorker.provide({
  rows: 'opt-out-removals',
  statement: pruneRemovals,
  sliceMax: 1_000,
  idleMs: 60_000,
});
