import type { Restore } from '@switchboard/outbox';
import type { Log } from '@switchboard/platform';
import { statement, type Database } from '@switchboard/postgres';
import { keepLatest, outcomeColumns } from '../attempt-outcome/attempt-outcome.repository.js';
import { announceUnknown } from '../dispatch/announce-unknown.js';
import { LEASE_MS } from '../dispatch/dispatch.entity.js';
import { dispatchMetrics } from '../dispatch/dispatch-metrics.js';
import { SETTLE_DEADLINE_MS } from '../dispatch/retry.policy.js';
import type { MessageKey } from '../message/lock-messages.js';

const CHUNK = 500;

/**
 * What the backup held, and may have been attempted since: what was under way, and what has become due. What is due later
 * cannot have been. An attempt that was marked since is not concerned: its lease began after the restore.
 */
const OF_BACKUP = `message_id < cuid_floor($1::timestamptz) AND lease <> 'restored' AND (state = 'UNKNOWN'
  OR state IN ('RETRY', 'PACED') AND due_at <= now()
  OR state = 'DISPATCHING' AND due_at - make_interval(secs => ${LEASE_MS / 1_000}) < $1::timestamptz)`;
/**
 * The lease is one that no journal names: what a journal says of the former lease was true before the restore. Waits for no
 * lock: what somebody holds is being settled.
 */
const takeBackSql = statement<MessageKey & { wasUnknown: boolean }>(
  'messaging.dispatch.take-back',
  `WITH open AS (
     SELECT organization_id, message_id, state, attempts, due_at FROM dispatch WHERE ${OF_BACKUP} LIMIT $2
     FOR UPDATE SKIP LOCKED
   ), recorded AS (
     INSERT INTO attempt_outcome (${outcomeColumns})
     SELECT organization_id, message_id, CASE state WHEN 'DISPATCHING' THEN attempts ELSE attempts + 1 END, true, 'UNKNOWN',
       NULL, CASE state WHEN 'DISPATCHING' THEN due_at - make_interval(secs => ${LEASE_MS / 1_000}) ELSE due_at END, now(),
       now() + make_interval(secs => $3)
     FROM open WHERE state <> 'UNKNOWN'${keepLatest}
   )
   UPDATE dispatch d SET state = 'UNKNOWN', lease = 'restored',
     due_at = CASE open.state WHEN 'UNKNOWN' THEN d.due_at ELSE now() + make_interval(secs => $3) END
   FROM open WHERE d.organization_id = open.organization_id AND d.message_id = open.message_id
   RETURNING d.organization_id AS "organizationId", d.message_id AS "messageId", open.state = 'UNKNOWN' AS "wasUnknown"`,
);
const orphanedSql = statement<{ left: boolean }>(
  'messaging.dispatch.take-back-left',
  `SELECT EXISTS (SELECT FROM dispatch WHERE ${OF_BACKUP}) AS left`,
);
const pauseSql = statement<{ lanes: number }>(
  'messaging.lane.pause-restored',
  `WITH paused AS (
     UPDATE bulk_lane SET is_paused = true
     WHERE is_open AND NOT is_paused AND job_id < cuid_floor($1::timestamptz) AND (EXISTS (
       SELECT FROM bulk_item i WHERE i.organization_id = bulk_lane.organization_id AND i.job_id = bulk_lane.job_id
         AND i.state = 'WAITING') OR EXISTS (
       SELECT FROM dispatch d WHERE d.state = 'PACED' AND d.organization_id = bulk_lane.organization_id
         AND d.channel_id = bulk_lane.channel_id AND d.job_id = bulk_lane.job_id))
     RETURNING true)
   SELECT count(*)::int AS lanes FROM paused`,
);

/**
 * Sends nothing again that the state that is gone may have sent: attempts that were due or under way at the backup are
 * UNKNOWN, and lanes of bulk sends that had something to begin are paused. A status that carries our reference settles the
 * former; the latter are for somebody to decide.
 *
 * @throws when an attempt is locked by somebody else: to be repeated
 */
export async function takeBackRestored(database: Database, { writtenBefore }: Restore, log: Log): Promise<void> {
  let messages = 0;
  for (let isMore = true; isMore;) {
    const taken = await database.transaction(async (tx) => {
      const open = await tx.query(takeBackSql, [writtenBefore, CHUNK, SETTLE_DEADLINE_MS / 1_000]);
      await announceUnknown(
        tx,
        open.filter(({ wasUnknown }) => !wasUnknown),
      );
      return open;
    });
    messages += taken.filter(({ wasUnknown }) => !wasUnknown).length;
    isMore = taken.length === CHUNK;
  }
  dispatchMetrics().unknown('restored', messages);
  const [paused] = await database.query(pauseSql, [writtenBefore]);
  log.warn('dispatch.restored', { messages, lanes: paused?.lanes ?? 0 });
  const [rest] = await database.query(orphanedSql, [writtenBefore]);
  if (rest?.left === true) throw new Error('attempts of the backup are being settled: they are looked at again');
}
