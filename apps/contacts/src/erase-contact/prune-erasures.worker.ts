import { PruneWorker } from '@switchboard/platform';
import { pruneErasures } from './unconfirmed-erasure.repository.js';

/** Deletes unconfirmed erasures whose callers have not asked again for a day. */
export const erasurePruner = PruneWorker.provide({
  rows: 'unconfirmed-erasures',
  statement: pruneErasures,
  sliceMax: 1_000,
  idleMs: 60_000,
});
