import { IS_COMPARED } from '@switchboard/outbox';
import { statement, type Database, unnestColumns } from '@switchboard/postgres';
import { JOB_CANCELED } from '../message/message-progress.policy.js';
import { failedIfQueued, recordProgress } from '../message/record-progress.js';
import { messageIfNotLocked } from '../dispatch/dispatch.repository.js';
import type { MessageKey } from '../message/lock-messages.js';
import type { LaneKey } from './lane.entity.js';

const CANCELED = { code: JOB_CANCELED, message: 'The bulk send was cancelled before the upstream took the message' };
/** Messages of a transaction. */
const SLICE_MAX = 200;

/** Messages of withdrawn lanes that are to be sent again; of a backup it is not known whether they were sent since. */
const openSql = (lanes: string): string =>
  `SELECT d.organization_id AS "organizationId", d.message_id AS "messageId"
   FROM ${lanes} JOIN dispatch d ON d.state = 'PACED' AND d.organization_id = l.organization_id
     AND d.channel_id = l.channel_id AND d.job_id = l.job_id ${messageIfNotLocked}
   WHERE l.is_withdrawn AND l.is_open AND ${IS_COMPARED} LIMIT ${SLICE_MAX}`;
const ofLanesSql = statement<MessageKey>(
  'messaging.lane.withdrawn-messages',
  openSql(`(SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS named(organization_id, job_id)) AS g
     JOIN bulk_lane l ON l.organization_id = g.organization_id AND l.job_id = g.job_id`),
);
const ofAllSql = statement<MessageKey>('messaging.lane.all-withdrawn-messages', openSql('bulk_lane l'));

/**
 * Fails messages of cancelled bulk sends that were still to be sent: what was refused for the moment, or waited for another of
 * its conversation. Waits for no lock: what somebody holds is left to the next look.
 *
 * @param lanes some more than once, perhaps; null: whatever lane has some left, by what a process was doing when it ended
 * @returns whether there may be more
 */
export async function endWithdrawn(database: Database, lanes: readonly LaneKey[] | null, at: Date): Promise<boolean> {
  return database.transaction(async (tx) => {
    const open = await (lanes
      ? tx.query(ofLanesSql, unnestColumns(lanes, ['organizationId', 'jobId']))
      : tx.query(ofAllSql, []));
    await recordProgress(
      tx,
      open.map((message) => failedIfQueued(message, at, CANCELED)),
    );
    return open.length === SLICE_MAX;
  });
}
