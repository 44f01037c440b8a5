import type { ErasureTarget } from '@switchboard/platform';
import { statement, type Database } from '@switchboard/postgres';
import { failedIfQueued, recordProgress } from '../message/record-progress.js';
import { ERASED_FAILURE } from './erasure.policy.js';

/** Messages of a transaction. */
const SLICE_MAX = 200;

const openSql = statement<{ messageId: string }>(
  'messaging.dispatch.of-erased',
  `SELECT message_id AS "messageId" FROM dispatch
   WHERE organization_id = $1 AND contact_id = $2 AND state IN ('RETRY', 'PACED') ORDER BY message_id LIMIT $3`,
);
/** What has left, or may have, is never sent again: its number has no use. */
const eraseSql = statement<{ state: string }>(
  'messaging.dispatch.erase',
  `UPDATE dispatch SET recipient_phone = '', template_parameters = NULL
   WHERE organization_id = $1 AND contact_id = $2 AND state IN ('DISPATCHING', 'UNKNOWN') RETURNING state`,
);

/**
 * Fails what is still to be sent to a contact, and overwrites the numbers of attempts whose outcome is open.
 *
 * @returns false while an attempt is under way: it may still be given back to be made again
 */
export async function eraseDispatches(database: Database, target: ErasureTarget, at: Date): Promise<boolean> {
  const { organizationId, contactId } = target;
  for (;;) {
    const open = await database.query(openSql, [organizationId, contactId, SLICE_MAX]);
    if (open.length === 0) break;
    await database.transaction((tx) =>
      recordProgress(
        tx,
        open.map(({ messageId }) => failedIfQueued({ organizationId, messageId }, at, ERASED_FAILURE)),
      ),
    );
    await target.keepOn();
    if (open.length < SLICE_MAX) break;
  }
  const left = await database.query(eraseSql, [organizationId, contactId]);
  return left.every(({ state }) => state !== 'DISPATCHING');
}
