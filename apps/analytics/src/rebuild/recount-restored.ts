import type { Restore } from '@switchboard/outbox';
import type { Log } from '@switchboard/platform';
import type { Database } from '@switchboard/postgres';
import { requestRebuilds } from './rebuild.repository.js';

/** Time to read again what the broker kept; where that takes longer, an operator repeats it (docs/operations.md#figures). */
const AFTER_SECONDS = 15 * 60;

/**
 * Has all figures counted anew, once consumers have read again what the broker kept: among it are events of the state that is
 * gone, of messages and statuses that messaging does not have.
 */
export async function recountRestored(database: Database, { writtenBefore }: Restore, log: Log): Promise<void> {
  const organizations = await requestRebuilds(database, AFTER_SECONDS);
  log.warn('figures.restored', { organizations, writtenBefore: writtenBefore.toISOString() });
}
