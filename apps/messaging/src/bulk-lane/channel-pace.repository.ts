import { statement, type Queryable } from '@switchboard/postgres';
import type { ChannelKey } from './lane.entity.js';

const wakeSql = statement(
  'messaging.pace.wake',
  `INSERT INTO channel_pace AS p (organization_id, channel_id, look_at) VALUES ($1, $2, now())
   ON CONFLICT (organization_id, channel_id) DO UPDATE SET look_at = now() WHERE p.look_at > now()`,
);

/**
 * Has a channel looked at now: there is something to begin. Behind the COMMIT of that, and not in its transaction, so that
 * a claim under way, which holds the row, is not waited for with locks in hand; what a crash in between leaves is found by
 * the sweep.
 */
export async function wakeChannel(through: Queryable, { organizationId, channelId }: ChannelKey): Promise<void> {
  await through.query(wakeSql, [organizationId, channelId]);
}
