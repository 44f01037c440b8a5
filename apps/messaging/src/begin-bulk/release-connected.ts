import { bulkLaneReleased } from '@switchboard/contracts/messaging/bulk-events';
import { appendEvents } from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';
import type { HeldLane } from '../bulk-lane/lane.entity.js';
import { holdEvent } from '../bulk-lane/lane.repository.js';

const releaseSql = statement<HeldLane>(
  'messaging.lane.release-connected',
  `WITH free AS (
     SELECT l.organization_id, l.job_id, l.held_reason || l.further_holds AS holds FROM bulk_lane l
     JOIN channel ch ON ch.organization_id = l.organization_id AND ch.id = l.channel_id AND ch.status = 'CONNECTED'
     WHERE l.held_reason IS NOT NULL AND l.is_open AND 'CHANNEL_DISCONNECTED' = ANY (l.held_reason || l.further_holds)
     LIMIT 100 FOR NO KEY UPDATE OF l SKIP LOCKED
   )
   UPDATE bulk_lane l SET held_reason = left_holds[1], further_holds = left_holds[2:]
   FROM free, array_remove(free.holds, 'CHANNEL_DISCONNECTED') AS left_holds
   WHERE l.organization_id = free.organization_id AND l.job_id = free.job_id
   RETURNING l.organization_id AS "organizationId", l.job_id AS "jobId", l.channel_id AS "channelId",
     'CHANNEL_DISCONNECTED' AS reason`,
);

/** Ends the holds of lanes whose channel is connected again. @returns how many */
export async function releaseConnected(database: Database): Promise<number> {
  return database.transaction(async (tx) => {
    const released = await tx.query(releaseSql, []);
    appendEvents(
      tx,
      released.map((lane) => holdEvent(bulkLaneReleased, lane)),
    );
    return released.length;
  });
}
