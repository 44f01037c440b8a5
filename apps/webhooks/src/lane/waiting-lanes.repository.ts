import { statement, type Queryable } from '@switchboard/postgres';

/** A webhook with pending deliveries, as the look finds it. */
export interface WaitingLane {
  readonly webhookId: string;
  /** `closed`: deactivated or deleted, so that what is pending is to be dropped. */
  readonly state: 'own' | 'free' | 'closed';
}

/**
 * Webhooks that have something pending and belong to this worker or to none that lives. Skips from webhook to webhook, so
 * that it costs what there are of them, not of deliveries.
 */
const waitingSql = statement<WaitingLane>(
  'webhooks.lane.waiting',
  `WITH RECURSIVE pending AS (
     (SELECT webhook_id FROM delivery ORDER BY webhook_id LIMIT 1)
     UNION ALL
     SELECT (SELECT d.webhook_id FROM delivery d WHERE d.webhook_id > p.webhook_id ORDER BY d.webhook_id LIMIT 1)
     FROM pending p WHERE p.webhook_id IS NOT NULL)
   SELECT p.webhook_id AS "webhookId",
     CASE WHEN l.webhook_id IS NULL OR NOT l.is_open THEN 'closed' WHEN l.owner = $1 THEN 'own' ELSE 'free' END AS state
   FROM pending p
   LEFT JOIN lane l ON l.webhook_id = p.webhook_id
   LEFT JOIN worker w ON w.id = l.owner AND w.lease_until > now()
   WHERE p.webhook_id IS NOT NULL AND (w.id IS NULL OR w.id = $1 OR NOT l.is_open)`,
);

/** Looks for work that no wake-up has reported. */
export async function waitingLanes(queryable: Queryable, worker: string): Promise<readonly WaitingLane[]> {
  return queryable.query(waitingSql, [worker]);
}
