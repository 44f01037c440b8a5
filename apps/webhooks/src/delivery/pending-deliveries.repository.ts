import { statement, type Queryable, unnestColumns } from '@switchboard/postgres';
import { isOfClockAheadSql } from '../attempt/clock-step.policy.js';
import type { PendingFloors } from '../deliver/read-floors.js';
import type { MarkedAttempt, PendingDeliveries, PendingDelivery } from './delivery.entity.js';
import { retryDelayMaxMs } from './retry.policy.js';

/** The columns of a `PendingDelivery`; `d` is the delivery. */
const PENDING_COLUMNS = `d.webhook_id AS "webhookId", d.id, d.organization_id AS "organizationId",
  d.event_id AS "eventId", d.type, d.line, d.position::float8 AS position, d.body_bytes AS "bodyBytes", d.kind, d.attempts,
  d.tries, (extract(epoch FROM d.due_at) * 1000)::float8 AS "dueAtMs"`;

interface Row extends PendingDelivery {
  readonly part: 'first' | 'retry' | 'marked';
  readonly attemptId: string | null;
  readonly attemptAtMs: number | null;
  readonly leaseUntilMs: number | null;
  /** Of first attempts alone: how many were looked at, and up to where. */
  readonly looked: number | null;
  readonly firstsTo: number | null;
  readonly replaysTo: number | null;
}

const RETRY_OF_CLOCK_AHEAD = isOfClockAheadSql('r.due_at', '$10::float8');
/**
 * Each part by its own partial index, in its order; few rows of the millions that may wait, and none of the entries below the floors that
 * an old snapshot keeps. Flag and position are compared as a row, by which the index begins in the middle. Of the first attempts that are
 * looked at, a few of each line are given. Retries of a clock that has stepped back since are read next to those of the present one, which
 * would fill the reading in front of them.
 */
const readSql = statement<Row>(
  'webhooks.delivery.read-pending',
  `SELECT ${PENDING_COLUMNS}, d.part, d.attempt_id AS "attemptId",
     (extract(epoch FROM d.attempt_at) * 1000)::float8 AS "attemptAtMs",
     (extract(epoch FROM d.lease_until) * 1000)::float8 AS "leaseUntilMs",
     d.looked::integer AS looked, d.firsts_to::float8 AS "firstsTo", d.replays_to::float8 AS "replaysTo"
   FROM unnest($1::text[], $2::integer[], $3::bigint[], $4::bigint[], $5::float8[], $6::float8[], $7::integer[],
       $8::integer[], $9::integer[])
     AS asked (webhook_id, max, firsts, replays, retries, marked, retries_max, look_max, of_line_max)
   CROSS JOIN LATERAL (
     (SELECT 'first' AS part, * FROM (
        SELECT looked_at.*, count(*) OVER () AS looked,
          max(position) FILTER (WHERE kind <> 'REPLAY') OVER () AS firsts_to,
          max(position) FILTER (WHERE kind = 'REPLAY') OVER () AS replays_to,
          row_number() OVER (PARTITION BY kind, line ORDER BY position) AS of_line
        FROM (
          (SELECT * FROM delivery f
           WHERE f.webhook_id = asked.webhook_id AND f.tries = 0 AND f.attempt_id IS NULL
             AND (f.kind = 'REPLAY', f.position) >= (false, asked.firsts) AND (f.kind = 'REPLAY', f.position) < (true, 0)
           ORDER BY f.kind = 'REPLAY', f.position LIMIT asked.look_max)
          UNION ALL
          (SELECT * FROM delivery f
           WHERE f.webhook_id = asked.webhook_id AND f.tries = 0 AND f.attempt_id IS NULL
             AND (f.kind = 'REPLAY', f.position) >= (true, asked.replays)
           ORDER BY f.kind = 'REPLAY', f.position LIMIT asked.look_max)
          LIMIT asked.look_max) AS looked_at) AS numbered
      WHERE line = '' OR of_line <= asked.of_line_max
      ORDER BY kind = 'REPLAY', position LIMIT asked.max)
     UNION ALL
     (SELECT 'retry', r.*, NULL, NULL, NULL, NULL FROM delivery r
      WHERE r.webhook_id = asked.webhook_id AND r.tries > 0 AND r.attempt_id IS NULL
        AND r.due_at >= to_timestamp(asked.retries / 1000) AND NOT ${RETRY_OF_CLOCK_AHEAD}
      ORDER BY r.due_at LIMIT asked.retries_max)
     UNION ALL
     (SELECT 'retry', r.*, NULL, NULL, NULL, NULL FROM delivery r
      WHERE r.webhook_id = asked.webhook_id AND r.tries > 0 AND r.attempt_id IS NULL AND ${RETRY_OF_CLOCK_AHEAD}
      ORDER BY r.due_at LIMIT asked.retries_max)
     UNION ALL
     (SELECT 'marked', m.*, NULL, NULL, NULL, NULL FROM delivery m
      WHERE m.webhook_id = asked.webhook_id AND m.attempt_id IS NOT NULL
        AND m.lease_until >= to_timestamp(asked.marked / 1000))
   ) d`,
);

/** What is read of a webhook. */
export interface PendingAsked {
  readonly webhookId: string;
  /** First attempts at most. */
  readonly readMax: number;
  readonly retriesMax: number;
  /** First attempts that are looked at for those, and how many of one line are read. */
  readonly looks: { readonly lookMax: number; readonly ofLineMax: number };
  /** Where each part begins. */
  readonly floors: PendingFloors;
}

/**
 * What is pending of these webhooks, as far as a worker needs it next.
 *
 * @param timeScale multiplies the waits: a retry that is due later than after the longest is of a clock that has stepped back since
 */
export async function readPending(
  queryable: Queryable,
  asked: readonly PendingAsked[],
  timeScale = 1,
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
    ({ looks }: PendingAsked) => looks.lookMax,
    ({ looks }: PendingAsked) => looks.ofLineMax,
  ] as const;
  const retryWaitMaxS = retryDelayMaxMs(timeScale) / 1_000;
  const rows = await queryable.query(readSql, [...unnestColumns(asked, columns), retryWaitMaxS]);
  const byWebhook = Map.groupBy(rows, ({ webhookId }) => webhookId);
  return new Map(asked.map((one) => [one.webhookId, pendingOf(byWebhook.get(one.webhookId) ?? [], one)]));
}

function pendingOf(rows: readonly Row[], { readMax, retriesMax, looks }: PendingAsked): PendingDeliveries {
  const { first = [], retry = [], marked = [] } = Object.groupBy(rows, ({ part }) => part);
  const isCut = first.length === readMax;
  return {
    firsts: first,
    lookedTo: lookedTo(first.at(-1), isCut),
    retries: retry,
    marked: marked.flatMap(markedOf),
    moreFirsts: isCut || first[0]?.looked === looks.lookMax,
    moreRetries: retry.length >= retriesMax,
  };
}

/** @param isCut those behind the last one were looked at and not given */
function lookedTo(last: Row | undefined, isCut: boolean): NonNullable<PendingDeliveries['lookedTo']> {
  const { firstsTo = null, replaysTo = null } = last ?? {};
  if (!last || !isCut) return { firsts: firstsTo, replays: replaysTo };
  return last.kind === 'REPLAY'
    ? { firsts: firstsTo, replays: last.position }
    : { firsts: last.position, replays: null };
}

function markedOf(row: Row): MarkedAttempt[] {
  const { attemptId: id, attemptAtMs: beganAtMs, leaseUntilMs } = row;
  if (id === null || beganAtMs === null || leaseUntilMs === null) return [];
  return [{ delivery: row, id, beganAtMs, leaseUntilMs }];
}
