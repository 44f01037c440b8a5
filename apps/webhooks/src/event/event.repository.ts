import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { IS_COMPARED_SINCE_START } from '@switchboard/outbox';
import { statement, unnestColumns, type Transaction } from '@switchboard/postgres';
import type { PublicEvent } from './event-body.policy.js';
import { deliveryIdSql } from '../delivery/delivery-id.sql.js';

/** Days before today that an event may be of when it arrives: streams hold 7. For each of them there is a partition. */
export const ARRIVAL_DAYS_MAX = 8;

/**
 * Draws positions: as many as each organization needs, under the locks of their rows, which are held to the commit. Sorted,
 * so that two batches never wait for each other. None of a database that may be a restored one: its feeds are raised before it is called
 * compared (`raiseFeed`), and an event below that would come to no reader whose cursor is of the time that is gone.
 */
const drawPositions = statement<{ organizationId: string }>(
  'webhooks.feed.draw',
  `INSERT INTO feed AS f (organization_id, last_position)
   SELECT organization_id, count + (SELECT position_base FROM beginning)
   FROM unnest($1::text[], $2::bigint[]) AS given (organization_id, count)
   WHERE ${IS_COMPARED_SINCE_START}
   ORDER BY organization_id
   ON CONFLICT (organization_id) DO UPDATE SET last_position =
     f.last_position + excluded.last_position - (SELECT position_base FROM beginning)
   RETURNING organization_id AS "organizationId"`,
);

const NOT_COMPARED =
  'PostgreSQL was started, and the database is not compared with the broker yet: it may be a restored one';

/** A delivery that was stored with its event. */
export interface StoredDelivery {
  readonly webhookId: string;
  readonly eventId: string;
  /** The webhook's receiver has failed, and no probe has succeeded since. */
  readonly isProbed: boolean;
}

/**
 * Stores events and a delivery of each for every active webhook that subscribes to it. An event that is stored already, or
 * older than `ARRIVAL_DAYS_MAX`, or than the webhook, makes none. Nor is one stored that is older than the schema, unless it is of the
 * last hour: the clock may have been set back since. Behind the drawing of positions, and a statement of its own: what was
 * registered while that waited for a lock is seen.
 *
 * The id of a delivery follows from event and webhook, and carries the event's time.
 */
const storeEvents = statement<StoredDelivery>(
  'webhooks.event.store',
  `WITH stored AS (
     INSERT INTO event (organization_id, id, type, line, body, occurred_at, stored_at, position, message_id)
     SELECT organization_id, id, type, line, body, occurred_at, clock_timestamp(), last_position - behind, message_id
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::bigint[], $8::text[])
       AS given (organization_id, id, type, line, body, occurred_at, behind, message_id)
     JOIN feed USING (organization_id)
     WHERE id COLLATE "C" >= (SELECT cuid_floor(
         (date_trunc('day', now() AT TIME ZONE 'UTC') - make_interval(days => $9)) AT TIME ZONE 'UTC'))
       AND id COLLATE "C" >= (SELECT least(event_id, cuid_floor(now() - interval '1 hour') COLLATE "C") FROM beginning)
     ON CONFLICT (id) DO NOTHING
     RETURNING organization_id, id, type, line, octet_length(body) AS body_bytes, position
   ), made AS (
     INSERT INTO delivery (webhook_id, id, organization_id, event_id, type, line, position, body_bytes, kind, due_at)
     SELECT w.id, ${deliveryIdSql('s.id', 'w.id')}, s.organization_id, s.id, s.type, s.line, s.position,
       s.body_bytes, 'AUTOMATIC', now()
     FROM stored s
     -- OFFSET keeps it a look-up by event: the planner would compare every event with every webhook there is.
     CROSS JOIN LATERAL (
       SELECT id FROM webhook
       WHERE organization_id = s.organization_id AND s.type = ANY (events) AND deactivated_at IS NULL AND s.id >= events_from
       OFFSET 0) AS w
     RETURNING webhook_id, event_id)
   SELECT made.webhook_id AS "webhookId", made.event_id AS "eventId", l.probing_since IS NOT NULL AS "isProbed"
   FROM made LEFT JOIN LATERAL (SELECT probing_since FROM lane WHERE webhook_id = made.webhook_id LIMIT 1) AS l ON true`,
);

/**
 * Stores events in the order given.
 *
 * @returns their deliveries
 * @throws SERVICE_UNAVAILABLE for the moments between a start of PostgreSQL and the comparison of the database
 */
export async function storePublicEvents(
  tx: Transaction,
  events: readonly PublicEvent[],
): Promise<readonly StoredDelivery[]> {
  if (events.length === 0) return [];
  const counts = new Map<string, number>();
  for (const { organizationId } of events) counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1);
  // One round trip: the second sees what the first has drawn.
  const drawing = tx.query(drawPositions, [[...counts.keys()], [...counts.values()]]);
  const columns = ['organizationId', 'id', 'type', 'line', 'body', 'occurredAt', 'behind', 'messageId'] as const;
  const storing = tx.query(storeEvents, [...unnestColumns(countedDown(events, counts), columns), ARRIVAL_DAYS_MAX]);
  const [drawn, deliveries] = await Promise.all([drawing, storing]);
  // As for whatever is away: they come again, none of them has failed.
  if (drawn.length < counts.size) throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, NOT_COMPARED);
  return deliveries;
}

/** Each event with the number of those of its organization that come behind it. */
function countedDown(
  events: readonly PublicEvent[],
  counts: ReadonlyMap<string, number>,
): readonly (PublicEvent & { readonly behind: number })[] {
  const left = new Map(counts);
  return events.map((event) => {
    const behind = (left.get(event.organizationId) ?? 0) - 1;
    left.set(event.organizationId, behind);
    return { ...event, behind };
  });
}
