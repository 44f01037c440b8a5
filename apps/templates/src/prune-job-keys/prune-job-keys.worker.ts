import { PruneWorker } from '@switchboard/platform';
import { pruneJobKeys } from '../job-key/job-key.repository.js';

/** Deletes keys of bulk sends that are over. Only for space: such a key is free whether it is stored or not. */
export const jobKeyPruner = PruneWorker.provide({
  rows: 'job-keys',
  statement: pruneJobKeys,
  sliceMax: 1_000,
  idleMs: 60_000,
});
