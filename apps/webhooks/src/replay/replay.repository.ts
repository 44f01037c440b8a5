import { statement, type Database, type Queryable, type Transaction } from '@switchboard/postgres';
import { slicesOf, type Positions } from '../event/feed.repository.js';

/** What a replay sends again. */
export interface ReplayedEvents extends Positions {
  readonly webhookId: string;
  /** Makes the ids of the deliveries: repeated, a replay makes the same. */
  readonly replayId: string;
  readonly since: Date;
  readonly until: Date | null;
  /** Event types, those of them that the webhook subscribes to. */
  readonly types: readonly string[];
  readonly onlyMissed: boolean;
}

/** Attempts are looked up from an id on: none is older than the first event of its slice, but for clocks. */
const FILTER = `e.organization_id = $1 AND e.position > $2 AND e.position <= $3 AND e.type = ANY ($4::text[])
  AND e.occurred_at >= $5::timestamptz AND ($6::timestamptz IS NULL OR e.occurred_at < $6)
  AND NOT ($7 AND e.id IN (SELECT a.event_id FROM attempt a
    WHERE a.webhook_id = $8 AND a.outcome = 'SUCCEEDED' AND a.id >= (
      SELECT cuid_floor(min(f.occurred_at) - interval '1 hour') FROM event f
      WHERE f.organization_id = $1 AND f.position > $2 AND f.position <= $3)))`;
/** The attempts are hashed: for as many as a busy webhook has in a week, so that they are read once for a slice. */
const memorySql = statement('webhooks.replay.memory', `SELECT set_config('work_mem', '64MB', true)`);
const countSql = statement<{ count: number }>(
  'webhooks.replay.count',
  `SELECT count(*)::integer AS count FROM event e WHERE ${FILTER}`,
);
const idsSql = statement<{ id: string }>(
  'webhooks.replay.events',
  `SELECT e.id FROM event e WHERE ${FILTER} ORDER BY e.position`,
);
const queueSql = statement(
  'webhooks.replay.queue',
  `INSERT INTO delivery (webhook_id, id, organization_id, event_id, type, line, position, body_bytes, kind, due_at)
   SELECT $2, substr($3, 1, 9) || substr(md5(e.id || $3), 1, 16), e.organization_id, e.id, e.type, e.line, e.position,
     octet_length(e.body), 'REPLAY', now()
   FROM unnest($4::text[]) AS replayed (id) JOIN event e ON e.id = replayed.id AND e.organization_id = $1
   ORDER BY e.position
   ON CONFLICT DO NOTHING`,
);

/** How many events a replay would send. */
export async function countReplay(database: Database, events: ReplayedEvents): Promise<number> {
  let count = 0;
  for await (const slice of slicesOf(database, events)) {
    const [row] = await hashing(database, (tx) => tx.query(countSql, valuesOf({ ...events, ...slice })));
    count += row?.count ?? 0;
  }
  return count;
}

/** The events that a replay would send, oldest first. */
export async function replayedEventIds(database: Database, events: ReplayedEvents): Promise<readonly string[]> {
  const rows = await hashing(database, (tx) => tx.query(idsSql, valuesOf(events)));
  return rows.map(({ id }) => id);
}

/** Deliveries of a replay. */
export interface QueuedReplay extends Pick<ReplayedEvents, 'organizationId' | 'webhookId' | 'replayId'> {
  readonly eventIds: readonly string[];
}

/** Queues deliveries of events, those of them that are kept still. */
export async function queueReplay(on: Queryable, queued: QueuedReplay): Promise<void> {
  const { organizationId, webhookId, replayId, eventIds } = queued;
  await on.query(queueSql, [organizationId, webhookId, replayId, eventIds]);
}

function hashing<Result>(database: Database, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  return database.transaction(async (tx) => {
    await tx.query(memorySql, []);
    return work(tx);
  });
}

function valuesOf(events: ReplayedEvents): readonly unknown[] {
  const { organizationId, after, upTo, types, since, until, onlyMissed, webhookId } = events;
  return [organizationId, after, upTo, types, since, until, onlyMissed, webhookId];
}
