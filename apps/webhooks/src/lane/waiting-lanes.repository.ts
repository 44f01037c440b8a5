import { queryWithin, statement, type Database } from '@switchboard/postgres';
import type { LaneState } from './lane.policy.js';
import { STATE_COLUMNS, stateOf, type StateRow } from './lane.repository.js';

/** A webhook with pending deliveries, as the look finds it. */
export type WaitingLane =
  | { readonly webhookId: string; readonly state: 'free' }
  /** Deactivated or deleted, so that what is pending is to be dropped. */
  | { readonly webhookId: string; readonly state: 'closed' }
  /** This worker's, as it is stored now. */
  | { readonly webhookId: string; readonly state: 'own'; readonly lane: LaneState };

/** Looks are transactions. */
type Looked = Pick<Database, 'transaction'>;

interface Row extends StateRow {
  readonly webhookId: string;
  readonly state: WaitingLane['state'];
}

/**
 * Webhooks that have something pending and belong to this worker or to none that lives. Skips from webhook to webhook, so
 * that it costs what there are of them, not of deliveries.
 */
const waitingSql = statement<Row>(
  'webhooks.lane.waiting',
  `WITH RECURSIVE pending AS (
     (SELECT webhook_id FROM delivery ORDER BY webhook_id LIMIT 1)
     UNION ALL
     SELECT (SELECT d.webhook_id FROM delivery d WHERE d.webhook_id > p.webhook_id ORDER BY d.webhook_id LIMIT 1)
     FROM pending p WHERE p.webhook_id IS NOT NULL)
   SELECT p.webhook_id AS "webhookId",
     CASE WHEN l.webhook_id IS NULL OR NOT l.is_open THEN 'closed' WHEN l.owner = $1 THEN 'own' ELSE 'free' END AS state,
     ${STATE_COLUMNS}
   FROM pending p
   LEFT JOIN lane l ON l.webhook_id = p.webhook_id
   LEFT JOIN worker w ON w.id = l.owner AND w.lease_until > now()
   WHERE p.webhook_id IS NOT NULL AND (w.id IS NULL OR w.id = $1 OR NOT l.is_open)`,
);

/**
 * As `waitingSql`, of what was stored lately alone, lane by lane, since of all else an old snapshot keeps the entries: a new event whose
 * wake-up was lost is among the newest of its organization, or a later one has woken the webhook. Besides, what the worker knows
 * to have something pending, and all that a worker has left behind that does not live any more. Closed lanes are left out.
 */
const recentSql = statement<Row>(
  'webhooks.lane.waiting-recent',
  `SELECT l.webhook_id AS "webhookId", CASE WHEN l.owner = $1 THEN 'own' ELSE 'free' END AS state, ${STATE_COLUMNS}
   FROM lane l
   LEFT JOIN worker w ON w.id = l.owner AND w.lease_until > now()
   LEFT JOIN feed ON feed.organization_id = l.organization_id
   WHERE l.is_open AND (w.id IS NULL OR w.id = $1) AND (
     l.webhook_id = ANY ($2::text[])
     OR (w.id IS NULL AND l.owner <> $1)
     OR EXISTS (
       SELECT FROM delivery f
       WHERE f.webhook_id = l.webhook_id AND f.tries = 0 AND f.attempt_id IS NULL
         AND (f.kind = 'REPLAY', f.position) >= (false, feed.last_position - $3::bigint)
         AND (f.kind = 'REPLAY', f.position) < (true, 0))
     OR EXISTS (
       SELECT FROM delivery r
       WHERE r.webhook_id = l.webhook_id AND r.tries > 0 AND r.attempt_id IS NULL AND r.due_at >= now() - make_interval(secs => $4))
     OR EXISTS (
       SELECT FROM delivery m
       WHERE m.webhook_id = l.webhook_id AND m.attempt_id IS NOT NULL AND m.lease_until >= now() - make_interval(secs => $4)))`,
);
const nextIdsSql = statement<{ webhookId: string }>(
  'webhooks.lane.next-ids',
  `SELECT webhook_id AS "webhookId" FROM lane WHERE webhook_id > $1 ORDER BY webhook_id LIMIT $2`,
);
/** As `waitingSql`, of these lanes. */
const waitingOfSql = statement<Row>(
  'webhooks.lane.waiting-of',
  `SELECT l.webhook_id AS "webhookId",
     CASE WHEN NOT l.is_open THEN 'closed' WHEN l.owner = $1 THEN 'own' ELSE 'free' END AS state, ${STATE_COLUMNS}
   FROM lane l
   LEFT JOIN worker w ON w.id = l.owner AND w.lease_until > now()
   WHERE l.webhook_id = ANY ($2::text[]) AND (w.id IS NULL OR w.id = $1 OR NOT l.is_open)
     AND EXISTS (SELECT FROM delivery d WHERE d.webhook_id = l.webhook_id)`,
);

/** How long each of these looks may take. */
const LOOK_WITHIN_MS = 1_000;
/** Newest positions of an organization that are looked at. */
const RECENT_EVENTS = 256;
/** How long a retry is due, or the lease of a mark over, that is looked for. */
const RECENT_S = 60;

/** Looks for all work that no wake-up has reported. @throws isTimedOut behind many entries that an old snapshot keeps */
export async function waitingLanes(database: Looked, worker: string): Promise<readonly WaitingLane[]> {
  return lanesOf(await queryWithin(database, LOOK_WITHIN_MS, { statement: waitingSql, values: [worker] }));
}

/** Looks for work of lately. @param known webhooks of the worker of which something is pending: those are among what it gives */
export async function recentlyWaitingLanes(
  database: Looked,
  worker: string,
  known: readonly string[],
): Promise<readonly WaitingLane[]> {
  const values = [worker, known, RECENT_EVENTS, RECENT_S];
  return lanesOf(await queryWithin(database, LOOK_WITHIN_MS, { statement: recentSql, values }));
}

/** Looks for work of these webhooks. @throws isTimedOut as `waitingLanes` */
export async function waitingLanesOf(
  database: Looked,
  worker: string,
  webhookIds: readonly string[],
): Promise<readonly WaitingLane[]> {
  return lanesOf(
    await queryWithin(database, LOOK_WITHIN_MS, { statement: waitingOfSql, values: [worker, webhookIds] }),
  );
}

/** Webhooks that have a lane, in their order. @param after the last one before them; empty: from the first */
export async function nextLaneIds(database: Looked, after: string, count: number): Promise<readonly string[]> {
  const rows = await queryWithin(database, LOOK_WITHIN_MS, { statement: nextIdsSql, values: [after, count] });
  return rows.map(({ webhookId }) => webhookId);
}

function lanesOf(rows: readonly Row[]): readonly WaitingLane[] {
  return rows.map(({ webhookId, state, ...row }) =>
    state === 'own' ? { webhookId, state, lane: stateOf(row) } : { webhookId, state },
  );
}
