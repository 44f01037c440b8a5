import { PruneWorker } from '@switchboard/platform';
import { pruneHeldStatements } from '../held-opt-out/held-opt-out.repository.js';

/** The provider repeats callbacks for a week, and what stayed behind is driven again within the next ones. */
const REPEATED_DAYS = 35;

/** Forgets what was stated so long ago that no repetition of it comes any more. */
export const heldStatementPruner = PruneWorker.provide({
  rows: 'held-statements',
  statement: pruneHeldStatements,
  values: () => [REPEATED_DAYS],
  sliceMax: 1_000,
  idleMs: 600_000,
  needsAgreedClocks: true,
});
