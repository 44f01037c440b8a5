import { statement, type Queryable, type Transaction } from '@switchboard/postgres';
import { backoffMs } from '@switchboard/timing';
import { isOfClockAheadSql } from '../attempt/clock-step.policy.js';
import type { ReplayedEvents } from './replayed-events.repository.js';

/** Which replay of which webhook. */
export interface ReplayKey {
  readonly organizationId: string;
  readonly id: string;
  readonly webhookId: string;
}

/** How a replay ended: all of its period is queued, or its webhook was deactivated or deleted. */
export type ReplayEnd = 'FINISHED' | 'CANCELED';

/** A replay to go on with. */
export interface DueReplay extends ReplayKey {
  /** Slices that have failed since one was queued. */
  readonly failures: number;
}

/** After a failed slice. */
const BACKOFF = { firstMs: 1_000, maxMs: 60_000 };

/** The longest back-off with its jitter of 25 %. */
const WAIT_MAX_S = (BACKOFF.maxMs / 1_000) * 1.25;
/** A replay whose time has come, or lies further ahead than any is left alone, by a clock that has stepped back since. */
const IS_DUE = `(due_at <= now() OR ${isOfClockAheadSql('due_at', String(WAIT_MAX_S))})`;

const findSql = statement<{ count: number }>(
  'webhooks.replay.find',
  'SELECT count FROM replay WHERE organization_id = $1 AND id = $2',
);
const runningSql = statement<{ count: number }>(
  'webhooks.replay.running',
  `SELECT count(*)::integer AS count FROM replay WHERE organization_id = $1 AND webhook_id = $2 AND ended_at IS NULL`,
);
const insertSql = statement(
  'webhooks.replay.insert',
  `INSERT INTO replay (organization_id, id, webhook_id, since, until, types, only_missed, count, position, up_to)
   VALUES ($1, $2, $3, $4, $5, $6::text[], $7, $8, $9, $10)`,
);
/** Of each organization the one that has waited longest: an organization with many has no more turns than one with few. */
const dueSql = statement<DueReplay>(
  'webhooks.replay.due',
  `SELECT organization_id AS "organizationId", id, webhook_id AS "webhookId", failures FROM (
     SELECT DISTINCT ON (organization_id) organization_id, id, webhook_id, failures, due_at FROM replay
     WHERE ended_at IS NULL AND ${IS_DUE} ORDER BY organization_id, due_at) first
   ORDER BY due_at LIMIT $1`,
);
const nextSql = statement<{ inMs: number | null }>(
  'webhooks.replay.next',
  `SELECT (extract(epoch FROM min(CASE WHEN ${IS_DUE} THEN least(due_at, now()) ELSE due_at END) - now()) * 1000)::float8 AS "inMs"
   FROM replay WHERE ended_at IS NULL`,
);
/** One that another replica has is left to it. */
const takeSql = statement<ReplayedEvents>(
  'webhooks.replay.take',
  `SELECT organization_id AS "organizationId", id AS "replayId", webhook_id AS "webhookId", since, until, types,
     only_missed AS "onlyMissed", position::float8 AS after, up_to::float8 AS "upTo"
   FROM replay WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL AND ${IS_DUE} FOR UPDATE SKIP LOCKED`,
);
/** It is due at once, behind the other replays of its organization. */
const moveSql = statement(
  'webhooks.replay.move',
  `UPDATE replay SET position = $3, failures = 0, due_at = clock_timestamp() WHERE organization_id = $1 AND id = $2`,
);
/** Up to $2 of those that wait for their first attempt, by index `delivery_first`. */
const waitingSql = statement<{ count: number }>(
  'webhooks.replay.waiting',
  `SELECT count(*)::integer AS count FROM (
     SELECT FROM delivery WHERE webhook_id = $1 AND kind = 'REPLAY' AND tries = 0 AND attempt_id IS NULL LIMIT $2) AS counted`,
);
const pauseSql = statement(
  'webhooks.replay.pause',
  `UPDATE replay SET due_at = clock_timestamp() + make_interval(secs => $3) WHERE organization_id = $1 AND id = $2`,
);
const endSql = statement(
  'webhooks.replay.end',
  `UPDATE replay SET position = $3, state = $4, ended_at = now() WHERE organization_id = $1 AND id = $2`,
);
const postponeSql = statement(
  'webhooks.replay.postpone',
  `UPDATE replay SET failures = failures + 1, due_at = now() + make_interval(secs => $3)
   WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL`,
);
const cancelSql = statement(
  'webhooks.replay.cancel',
  `UPDATE replay SET state = 'CANCELED', ended_at = now()
   WHERE organization_id = $1 AND webhook_id = $2 AND ended_at IS NULL`,
);

/** What a replay that was asked for before has counted; null when it was not. */
export async function countOfReplay(on: Queryable, organizationId: string, id: string): Promise<number | null> {
  const [row] = await on.query(findSql, [organizationId, id]);
  return row?.count ?? null;
}

/** How many replays of a webhook are under way; stays so, but for those that end, while its lane is locked. */
export async function runningReplays(on: Queryable, organizationId: string, webhookId: string): Promise<number> {
  const [row] = await on.query(runningSql, [organizationId, webhookId]);
  return row?.count ?? 0;
}

/** Stores a replay, of which nothing is queued yet. The webhook's lane must be locked. */
export async function insertReplay(tx: Transaction, events: ReplayedEvents, count: number): Promise<void> {
  const { organizationId, replayId, webhookId, since, until, types, onlyMissed, after, upTo } = events;
  const period = [since, until, types, onlyMissed];
  await tx.query(insertSql, [organizationId, replayId, webhookId, ...period, count, after, upTo]);
}

/** Replays to go on with, one of each organization, those that have waited longest first. */
export async function dueReplays(on: Queryable, limit: number): Promise<readonly DueReplay[]> {
  return on.query(dueSql, [limit]);
}

/** Milliseconds until the next replay is due, below 0 when one is; null when none is under way. */
export async function nextReplayMs(on: Queryable): Promise<number | null> {
  const [row] = await on.query(nextSql, []);
  return row?.inMs ?? null;
}

/** Locks a replay that is due; null when it has ended, or another replica has it. The webhook's row is locked before. */
export async function takeReplay(tx: Transaction, { organizationId, id }: ReplayKey): Promise<ReplayedEvents | null> {
  const [row] = await tx.query(takeSql, [organizationId, id]);
  return row ?? null;
}

/** Records that everything up to a position is queued. */
export async function moveReplay(tx: Transaction, { organizationId, id }: ReplayKey, position: number): Promise<void> {
  await tx.query(moveSql, [organizationId, id, position]);
}

/** How many deliveries of replays of a webhook wait for their first attempt, counted up to `max`. */
export async function waitingReplayed(on: Queryable, webhookId: string, max: number): Promise<number> {
  const [row] = await on.query(waitingSql, [webhookId, max]);
  return row?.count ?? 0;
}

/** Leaves a replay where it is for a while. */
export async function pauseReplay(tx: Transaction, { organizationId, id }: ReplayKey, pauseMs: number): Promise<void> {
  await tx.query(pauseSql, [organizationId, id, pauseMs / 1_000]);
}

/** Ends a replay at a position. */
export async function endReplay(
  tx: Transaction,
  { organizationId, id }: ReplayKey,
  position: number,
  end: ReplayEnd,
): Promise<void> {
  await tx.query(endSql, [organizationId, id, position, end]);
}

/** Leaves a replay of which a slice failed for a while: 1 s, doubling to 60 s. */
export async function postponeReplay(on: Queryable, { organizationId, id, failures }: DueReplay): Promise<void> {
  await on.query(postponeSql, [organizationId, id, backoffMs(failures + 1, BACKOFF) / 1_000]);
}

/** Ends all replays of a webhook. Its row must be locked, by a change of it. */
export async function cancelReplays(tx: Transaction, organizationId: string, webhookId: string): Promise<void> {
  await tx.query(cancelSql, [organizationId, webhookId]);
}
