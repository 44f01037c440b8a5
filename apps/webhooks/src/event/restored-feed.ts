import type { Log } from '@switchboard/platform';
import type { Restore } from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';

/** More events of one organization than come between a backup and its restore. */
const GAP = 1_000_000_000;

const baseSql = statement('webhooks.feed.raise-base', 'UPDATE beginning SET position_base = position_base + $1');
const raiseSql = statement('webhooks.feed.raise', 'UPDATE feed SET last_position = last_position + $1');

/**
 * After a restore from a backup: draws positions from above those that readers of the feed were given since the backup.
 *
 * The events of that time are taken from the streams again, and come behind the gap: a reader that goes on with its cursor misses none
 * of them, and may see again what it has seen. Deliveries that the backup holds as pending are sent again, with the same ids and
 * bytes. It may run more than once.
 */
export async function raiseFeed(database: Database, { writtenBefore }: Restore, log: Log): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query(baseSql, [GAP]);
    await tx.query(raiseSql, [GAP]);
  });
  log.warn('feed.raised-after-restore', { writtenBefore: writtenBefore.toISOString(), gap: GAP });
}
