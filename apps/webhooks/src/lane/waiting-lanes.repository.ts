import { statement, type Queryable } from '@switchboard/postgres';
import type { LaneState } from './lane.policy.js';
import { STATE_COLUMNS, stateOf, type StateRow } from './lane.repository.js';

/** A webhook with pending deliveries, as the look finds it. */
export type WaitingLane =
  | { readonly webhookId: string; readonly state: 'free' }
  /** Deactivated or deleted, so that what is pending is to be dropped. */
  | { readonly webhookId: string; readonly state: 'closed' }
  /** This worker's, as it is stored now. */
  | { readonly webhookId: string; readonly state: 'own'; readonly lane: LaneState };

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

/** Looks for work that no wake-up has reported. */
export async function waitingLanes(queryable: Queryable, worker: string): Promise<readonly WaitingLane[]> {
  const rows = await queryable.query(waitingSql, [worker]);
  return rows.map(({ webhookId, state, ...row }) =>
    state === 'own' ? { webhookId, state, lane: stateOf(row) } : { webhookId, state },
  );
}
