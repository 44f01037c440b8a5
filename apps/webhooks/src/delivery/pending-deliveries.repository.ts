import { statement, type Queryable, unnestColumns } from '@switchboard/postgres';
import type { PendingFloors } from '../deliver/read-floors.js';
import type { MarkedAttempt, PendingDeliveries, PendingDelivery } from './delivery.entity.js';

/** The columns of a `PendingDelivery`; `d` is the delivery. */
const PENDING_COLUMNS = `d.webhook_id AS "webhookId", d.id, d.organization_id AS "organizationId",
  d.event_id AS "eventId", d.type, d.line, d.position::float8 AS position, d.body_bytes AS "bodyBytes", d.kind, d.attempts,
  d.tries, (extract(epoch FROM d.due_at) * 1000)::float8 AS "dueAtMs"`;

interface Row extends PendingDelivery {
  readonly part: 'first' | 'retry' | 'marked';
  readonly attemptId: string | null;
  readonly attemptAtMs: number | null;
  readonly leaseUntilMs: number | null;
}

/**
 * Each part by its own partial index, in its order; few rows of the millions that may wait, and none of the entries below the floors that
 * an old snapshot keeps. Flag and position are compared as a row, by which the index begins in the middle.
 */
const readSql = statement<Row>(
  'webhooks.delivery.read-pending',
  `SELECT ${PENDING_COLUMNS}, d.part, d.attempt_id AS "attemptId",
     (extract(epoch FROM d.attempt_at) * 1000)::float8 AS "attemptAtMs",
     (extract(epoch FROM d.lease_until) * 1000)::float8 AS "leaseUntilMs"
   FROM unnest($1::text[], $2::integer[], $3::bigint[], $4::bigint[], $5::float8[], $6::float8[], $7::integer[])
     AS asked (webhook_id, max, firsts, replays, retries, marked, retries_max)
   CROSS JOIN LATERAL (
     (SELECT 'first' AS part, * FROM (
        (SELECT * FROM delivery f
         WHERE f.webhook_id = asked.webhook_id AND f.tries = 0 AND f.attempt_id IS NULL
           AND (f.kind = 'REPLAY', f.position) >= (false, asked.firsts) AND (f.kind = 'REPLAY', f.position) < (true, 0)
         ORDER BY f.kind = 'REPLAY', f.position LIMIT asked.max)
        UNION ALL
        (SELECT * FROM delivery f
         WHERE f.webhook_id = asked.webhook_id AND f.tries = 0 AND f.attempt_id IS NULL
           AND (f.kind = 'REPLAY', f.position) >= (true, asked.replays)
         ORDER BY f.kind = 'REPLAY', f.position LIMIT asked.max)) AS in_order
      LIMIT asked.max)
     UNION ALL
     (SELECT 'retry', * FROM delivery r
      WHERE r.webhook_id = asked.webhook_id AND r.tries > 0 AND r.attempt_id IS NULL
        AND r.due_at >= to_timestamp(asked.retries / 1000)
      ORDER BY r.due_at LIMIT asked.retries_max)
     UNION ALL
     (SELECT 'marked', * FROM delivery m WHERE m.webhook_id = asked.webhook_id AND m.attempt_id IS NOT NULL
        AND m.lease_until >= to_timestamp(asked.marked / 1000))
   ) d`,
);

/** What is read of a webhook. */
export interface PendingAsked {
  readonly webhookId: string;
  /** First attempts at most. */
  readonly readMax: number;
  readonly retriesMax: number;
  /** Where each part begins. */
  readonly floors: PendingFloors;
}

/** What is pending of these webhooks, as far as a worker needs it next. */
export async function readPending(
  queryable: Queryable,
  asked: readonly PendingAsked[],
): Promise<ReadonlyMap<string, PendingDeliveries>> {
  const columns = [
    'webhookId',
    'readMax',
    ({ floors }: PendingAsked) => floors.firsts,
    ({ floors }: PendingAsked) => floors.replays,
    // Times are rounded on their way.
    ({ floors }: PendingAsked) => floors.retries - 1,
    ({ floors }: PendingAsked) => floors.marked - 1,
    'retriesMax',
  ] as const;
  const rows = await queryable.query(readSql, unnestColumns(asked, columns));
  const byWebhook = Map.groupBy(rows, ({ webhookId }) => webhookId);
  return new Map(asked.map((one) => [one.webhookId, pendingOf(byWebhook.get(one.webhookId) ?? [], one)]));
}

function pendingOf(rows: readonly Row[], { readMax, retriesMax }: PendingAsked): PendingDeliveries {
  const { first = [], retry = [], marked = [] } = Object.groupBy(rows, ({ part }) => part);
  return {
    firsts: first,
    retries: retry,
    marked: marked.flatMap(markedOf),
    moreFirsts: first.length === readMax,
    moreRetries: retry.length === retriesMax,
  };
}

function markedOf(row: Row): MarkedAttempt[] {
  const { attemptId: id, attemptAtMs: beganAtMs, leaseUntilMs } = row;
  if (id === null || beganAtMs === null || leaseUntilMs === null) return [];
  return [{ delivery: row, id, beganAtMs, leaseUntilMs }];
}
