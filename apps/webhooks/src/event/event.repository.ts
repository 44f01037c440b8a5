import { statement, unnestColumns, type Transaction } from '@switchboard/postgres';
import type { PublicEvent } from './event-body.policy.js';

/** Days that events are kept; today is not among them. Source: docs/api-behaviour.md#webhooks-replay. */
export const EVENT_RETENTION_DAYS = 8;

/**
 * Draws positions: as many as each organization needs, under the locks of their rows, which are held to the commit. Sorted,
 * so that two batches never wait for each other.
 */
const drawPositions = statement<{ organizationId: string; last: number }>(
  'webhooks.feed.draw',
  `INSERT INTO feed AS f (organization_id, last_position)
   SELECT organization_id, count + (SELECT position_base FROM beginning)
   FROM unnest($1::text[], $2::bigint[]) AS given (organization_id, count)
   ORDER BY organization_id
   ON CONFLICT (organization_id) DO UPDATE SET last_position =
     f.last_position + excluded.last_position - (SELECT position_base FROM beginning)
   RETURNING organization_id AS "organizationId", last_position::float8 AS last`,
);

/**
 * Stores events and a delivery of each for every active webhook that subscribes to it. An event that is stored already, or
 * older than what is kept, or than the webhook, makes none.
 *
 * The id of a delivery follows from event and webhook, and carries the event's time.
 */
const storeEvents = statement<{ webhookId: string }>(
  'webhooks.event.store',
  `WITH given AS (
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::timestamptz[], $8::bigint[],
       $9::text[])
       AS g (organization_id, id, type, line, body, body_bytes, occurred_at, position, message_id)
     WHERE id COLLATE "C" >= cuid_floor((date_trunc('day', now() AT TIME ZONE 'UTC') - make_interval(days => $10)) AT TIME ZONE 'UTC')
       AND id COLLATE "C" >= (SELECT event_id FROM beginning)),
   stored AS (
     INSERT INTO event (organization_id, id, type, line, body, occurred_at, stored_at, position, message_id)
     SELECT organization_id, id, type, line, body, occurred_at, clock_timestamp(), position, message_id FROM given
     ON CONFLICT (id) DO NOTHING RETURNING id)
   INSERT INTO delivery (webhook_id, id, organization_id, event_id, type, line, position, body_bytes, kind, due_at)
   SELECT w.id, substr(g.id, 1, 9) || substr(md5(g.id || w.id), 1, 16), g.organization_id, g.id, g.type, g.line, g.position,
     g.body_bytes, 'AUTOMATIC', now()
   FROM given g
   JOIN webhook w ON w.organization_id = g.organization_id AND g.type = ANY (w.events) AND w.deactivated_at IS NULL
     AND g.id >= w.events_from
   WHERE g.id IN (SELECT id FROM stored)
   RETURNING webhook_id AS "webhookId"`,
);

/**
 * Stores events in the order given, with their deliveries.
 *
 * @returns the webhooks that have something to deliver
 */
export async function storePublicEvents(tx: Transaction, events: readonly PublicEvent[]): Promise<ReadonlySet<string>> {
  if (events.length === 0) return new Set();
  const counts = new Map<string, number>();
  for (const { organizationId } of events) counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1);
  const drawn = await tx.query(drawPositions, [[...counts.keys()], [...counts.values()]]);
  const next = new Map(
    drawn.map(({ organizationId, last }) => [organizationId, last - (counts.get(organizationId) ?? 0)]),
  );
  const positioned = events.map((event) => {
    const position = (next.get(event.organizationId) ?? 0) + 1;
    next.set(event.organizationId, position);
    return { ...event, position };
  });
  const columns = [
    'organizationId',
    'id',
    'type',
    'line',
    'body',
    'bodyBytes',
    'occurredAt',
    'position',
    'messageId',
  ] as const;
  const rows = await tx.query(storeEvents, [...unnestColumns(positioned, columns), EVENT_RETENTION_DAYS]);
  return new Set(rows.map(({ webhookId }) => webhookId));
}
