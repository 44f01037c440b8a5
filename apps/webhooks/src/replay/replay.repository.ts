import { statement, type Queryable } from '@switchboard/postgres';

/** What a replay sends again. */
export interface ReplayedEvents {
  readonly organizationId: string;
  readonly webhookId: string;
  /** Makes the ids of the deliveries: repeated, a replay makes the same. */
  readonly replayId: string;
  /** The positions between which it looks; the first one exclusive. */
  readonly after: number;
  readonly upTo: number;
  readonly since: Date;
  readonly until: Date | null;
  /** Event types, those of them that the webhook subscribes to. */
  readonly types: readonly string[];
  readonly onlyMissed: boolean;
}

/** Attempts are looked up from an id on: no attempt is older than its event, but for clocks. */
const FILTER = `e.organization_id = $1 AND e.position > $2 AND e.position <= $3 AND e.type = ANY ($4::text[])
  AND e.occurred_at >= $5::timestamptz AND ($6::timestamptz IS NULL OR e.occurred_at < $6)
  AND NOT ($7 AND e.id IN (SELECT a.event_id FROM attempt a
    WHERE a.webhook_id = $8 AND a.outcome = 'SUCCEEDED' AND a.id >= cuid_floor($5::timestamptz - interval '1 hour')))`;
const countSql = statement<{ count: number }>(
  'webhooks.replay.count',
  `SELECT count(*)::integer AS count FROM event e WHERE ${FILTER}`,
);
const queueSql = statement<{ count: number }>(
  'webhooks.replay.queue',
  `WITH queued AS (
     INSERT INTO delivery (webhook_id, id, organization_id, event_id, type, line, position, body_bytes, kind, due_at)
     SELECT $8, substr($9, 1, 9) || substr(md5(e.id || $9), 1, 16), e.organization_id, e.id, e.type, e.line, e.position,
       octet_length(e.body), 'REPLAY', now()
     FROM event e WHERE ${FILTER} ORDER BY e.position
     ON CONFLICT DO NOTHING RETURNING 1)
   SELECT count(*)::integer AS count FROM queued`,
);

/** How many events a replay would send. */
export async function countReplay(on: Queryable, events: ReplayedEvents): Promise<number> {
  const [row] = await on.query(countSql, valuesOf(events));
  return row?.count ?? 0;
}

/** Queues the events. @returns how many are queued by it */
export async function queueReplay(on: Queryable, events: ReplayedEvents): Promise<number> {
  const [row] = await on.query(queueSql, [...valuesOf(events), events.replayId]);
  return row?.count ?? 0;
}

function valuesOf(events: ReplayedEvents): readonly unknown[] {
  const { organizationId, after, upTo, types, since, until, onlyMissed, webhookId } = events;
  return [organizationId, after, upTo, types, since, until, onlyMissed, webhookId];
}
