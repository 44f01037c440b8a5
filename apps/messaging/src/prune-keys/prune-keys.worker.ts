import { PruneWorker } from '@switchboard/platform';
import { pruneKeys } from '../idempotency-key/idempotency-key.repository.js';

/** Deletes idempotency keys that are past their day. Only for space: such a key is free whether it is stored or not. */
export const keyPruner = PruneWorker.provide({
  rows: 'idempotency-keys',
  statement: pruneKeys,
  sliceMax: 1_000,
  idleMs: 60_000,
});
