import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { IS_COMPARED_SINCE_START } from '@switchboard/outbox';
import { statement, unnestColumns, type Transaction } from '@switchboard/postgres';
import type { PublicEvent } from './event-body.policy.js';
import { deliveryIdSql } from '../delivery/delivery-id.sql.js';

/** Days before today that an event may be of when it arrives: streams hold 7. For each of them there is a partition. */
export const ARRIVAL_DAYS_MAX = 8;

/**
 * Positions: as many as each organization needs, under the locks of their rows, which are held to the commit. Sorted,
 * so that two batches never wait for each other. None of a database that may be a restored one: its feeds are raised before it is called
 * compared (`raiseFeed`), and an event below that would come to no reader whose cursor is of the time that is gone.
 */
const DRAW_POSITIONS = `INSERT INTO feed AS f (organization_id, last_position)
   SELECT organization_id, count + (SELECT position_base FROM beginning)
   FROM unnest($1::text[], $2::bigint[]) AS given (organization_id, count)
   WHERE ${IS_COMPARED_SINCE_START}
   ORDER BY organization_id
   ON CONFLICT (organization_id) DO UPDATE SET last_position =
     f.last_position + excluded.last_position - (SELECT position_base FROM beginning)
   RETURNING organization_id, last_position`;

const NOT_COMPARED =
  'PostgreSQL was started, and the database is not compared with the broker yet: it may be a restored one';

/** A delivery that was stored with its event. */
export interface StoredDelivery {
  readonly webhookId: string;
  readonly eventId: string;
  /** The webhook's receiver has failed, and no probe has succeeded since. */
  readonly isProbed: boolean;
}

const EVENT_COLUMNS = [
  'organizationId',
  'id',
  'type',
  'line',
  'body',
  'occurredAt',
  'messageId',
  'place',
  'behind',
] as const;

/** A row at least, also where there are no deliveries. */
interface StoredRow {
  readonly isDrawn: boolean;
  readonly webhookId: string | null;
  readonly eventId: string | null;
  readonly isProbed: boolean | null;
}

/**
 * Stores events and a delivery of each for every active webhook that subscribes to it. An event that is stored already, or
 * older than `ARRIVAL_DAYS_MAX`, or than the webhook, makes none. Its position is so many before the last of its organization, of
 * which it names the place among all.
 *
 * The id of a delivery follows from event and webhook, and carries the event's time.
 */
const storeEvents = statement<StoredRow>(
  'webhooks.event.store',
  `WITH drawn AS (${DRAW_POSITIONS}),
   lasts AS (SELECT array_agg(last_position ORDER BY organization_id COLLATE "C") AS positions FROM drawn),
   stored AS (
     INSERT INTO event (organization_id, id, type, line, body, occurred_at, stored_at, position, message_id)
     SELECT organization_id, id, type, line, body, occurred_at, clock_timestamp(), positions[place] - behind, message_id
     FROM lasts CROSS JOIN unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[], $9::text[],
         $10::integer[], $11::integer[])
       AS given (organization_id, id, type, line, body, occurred_at, message_id, place, behind)
     WHERE positions IS NOT NULL AND id COLLATE "C" >= (SELECT cuid_floor(
         (date_trunc('day', now() AT TIME ZONE 'UTC') - make_interval(days => $12)) AT TIME ZONE 'UTC'))
       AND id COLLATE "C" >= (SELECT event_id FROM beginning)
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
   SELECT positions IS NOT NULL AS "isDrawn", made.webhook_id AS "webhookId", made.event_id AS "eventId",
     l.probing_since IS NOT NULL AS "isProbed"
   FROM lasts LEFT JOIN made ON true
   LEFT JOIN LATERAL (SELECT probing_since FROM lane WHERE webhook_id = made.webhook_id LIMIT 1) AS l ON true`,
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
  const organizations = Map.groupBy(events, ({ organizationId }) => organizationId);
  // By code units, as "C" compares.
  const places = new Map([...organizations.keys()].sort().map((organizationId, index) => [organizationId, index + 1]));
  const left = new Map([...organizations].map(([organizationId, own]) => [organizationId, own.length]));
  const counts = [...organizations.values()].map(({ length }) => length);
  const placed = events.map((event) => {
    const behind = (left.get(event.organizationId) ?? 0) - 1;
    left.set(event.organizationId, behind);
    return { ...event, place: places.get(event.organizationId), behind };
  });
  const rows = await tx.query(storeEvents, [
    [...organizations.keys()],
    counts,
    ...unnestColumns(placed, EVENT_COLUMNS),
    ARRIVAL_DAYS_MAX,
  ]);
  // As for whatever is away: they come again, none of them has failed.
  if (rows.some(({ isDrawn }) => !isDrawn)) throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, NOT_COMPARED);
  return rows.flatMap(({ webhookId, eventId, isProbed }) =>
    webhookId === null || eventId === null ? [] : { webhookId, eventId, isProbed: isProbed === true },
  );
}
