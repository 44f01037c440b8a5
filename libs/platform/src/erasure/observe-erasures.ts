import type { Database } from '@switchboard/postgres';
import { CachedGauge } from '../cached-gauge.js';
import type { Log } from '../logger.js';
import { pendingErasures } from './erasure-ledger.js';

/** Shows how many contacts a service has still to erase, and since when. */
export function observeErasures(database: Database, log: Log): void {
  const pending = new CachedGauge({ name: 'pending erasures', read: () => pendingErasures(database), log });
  pending.observeAs(
    'switchboard_erasures_pending',
    'Erased contacts of which this service still keeps something',
    ({ count }) => [{ value: count }],
  );
  pending.observeAs(
    'switchboard_erasures_oldest_seconds',
    'Age of the oldest erasure that this service has not finished; 0 when there is none',
    ({ oldestSeconds }) => [{ value: oldestSeconds }],
  );
}
