import { statement, unnestColumns, type Queryable, type Transaction } from '@switchboard/postgres';
import { openedLane, type LaneState } from './lane.policy.js';

/** A lane that is locked until the transaction ends. */
export interface LockedLane {
  readonly webhookId: string;
  readonly isOpen: boolean;
  /** It belongs to the worker that asked, whose lease has not ended. */
  readonly isOwned: boolean;
  readonly state: LaneState;
  /** The database's clock, milliseconds since 1970. */
  readonly nowMs: number;
}

/** The state of a lane as it is read. */
export interface StateRow {
  readonly windowMax: number;
  readonly probingSinceMs: number | null;
  readonly failedProbes: number;
  readonly nextProbeAtMs: number | null;
  readonly heldUntilMs: number | null;
  readonly consecutiveFailures: number;
  readonly countedUntilMs: number | null;
  readonly openedAtMs: number | null;
}

interface LaneRow extends StateRow {
  readonly webhookId: string;
  readonly isOpen: boolean;
  readonly isOwned: boolean;
  readonly nowMs: number;
}

/** A lane that is the worker's now, as it was left. */
export interface AcquiredLane {
  readonly webhookId: string;
  readonly organizationId: string;
  readonly state: LaneState;
}

/** The id of no worker, for whoever asks not as one. */
const NO_WORKER = '';

const ms = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::float8`;
const at = (column: string): string => `to_timestamp(${column} / 1000)`;

/** The columns of a `StateRow`; `l` is the lane. */
export const STATE_COLUMNS = `l.window_max AS "windowMax", ${ms('l.probing_since')} AS "probingSinceMs",
  l.failed_probes AS "failedProbes", ${ms('l.next_probe_at')} AS "nextProbeAtMs", ${ms('l.held_until')} AS "heldUntilMs",
  l.consecutive_failures AS "consecutiveFailures", ${ms('l.counted_until')} AS "countedUntilMs",
  ${ms('l.opened_at')} AS "openedAtMs"`;

/** A lane that another session has locked, which may stand still, is left to a later turn. Lease and clock are read behind the locks. */
const lockSql = statement<LaneRow>(
  'webhooks.lane.lock',
  `WITH l AS MATERIALIZED (
     SELECT * FROM lane WHERE webhook_id = ANY ($1::text[]) ORDER BY webhook_id FOR NO KEY UPDATE SKIP LOCKED
   ), locked AS MATERIALIZED (SELECT count(*) FROM l)
   SELECT l.webhook_id AS "webhookId", l.is_open AS "isOpen",
     l.owner IS NOT NULL AND l.owner = $2
       AND EXISTS (SELECT FROM worker w WHERE w.id = $2 AND w.lease_until > clock_timestamp()) AS "isOwned",
     ${STATE_COLUMNS}, ${ms('clock_timestamp()')} AS "nowMs"
   FROM locked CROSS JOIN l`,
);
const existingSql = statement<{ webhookId: string }>(
  'webhooks.lane.existing',
  'SELECT webhook_id AS "webhookId" FROM lane WHERE webhook_id = ANY ($1::text[])',
);
const storeSql = statement(
  'webhooks.lane.store',
  `UPDATE lane l SET is_open = g.is_open, window_max = g.window_max, probing_since = ${at('g.probing_since')},
     failed_probes = g.failed_probes, next_probe_at = ${at('g.next_probe_at')}, held_until = ${at('g.held_until')},
     consecutive_failures = g.consecutive_failures, counted_until = ${at('g.counted_until')},
     opened_at = ${at('g.opened_at')}
   FROM unnest($1::text[], $2::boolean[], $3::integer[], $4::float8[], $5::integer[], $6::float8[], $7::float8[],
     $8::integer[], $9::float8[], $10::float8[]) AS g (webhook_id, is_open, window_max, probing_since, failed_probes, next_probe_at,
     held_until, consecutive_failures, counted_until, opened_at)
   WHERE l.webhook_id = g.webhook_id`,
);
const insertSql = statement('webhooks.lane.insert', 'INSERT INTO lane (organization_id, webhook_id) VALUES ($1, $2)');
/** Of those that no living worker owns. One that is locked, by a process that stands still perhaps, is left to the next look. */
const acquireSql = statement<StateRow & { webhookId: string; organizationId: string }>(
  'webhooks.lane.acquire',
  `WITH free AS (
     SELECT l.webhook_id FROM lane l
     WHERE l.webhook_id = ANY ($1::text[]) AND l.is_open AND (l.owner IS NULL OR l.owner = $2 OR NOT EXISTS (
       SELECT FROM worker w WHERE w.id = l.owner AND w.lease_until > clock_timestamp()))
     ORDER BY l.webhook_id FOR NO KEY UPDATE SKIP LOCKED)
   UPDATE lane l SET owner = $2 FROM free WHERE l.webhook_id = free.webhook_id
   RETURNING l.webhook_id AS "webhookId", l.organization_id AS "organizationId", ${STATE_COLUMNS}`,
);
/** One that is locked stays this worker's, and is found as such by a look when there is something to deliver. */
const releaseSql = statement(
  'webhooks.lane.release',
  `WITH own AS (
     SELECT webhook_id FROM lane WHERE webhook_id = ANY ($1::text[]) AND owner = $2
     ORDER BY webhook_id FOR NO KEY UPDATE SKIP LOCKED)
   UPDATE lane l SET owner = NULL FROM own WHERE l.webhook_id = own.webhook_id`,
);

/** Locks lanes and reads them, without those that do not exist (any more), or that others have locked. @param worker whose they should be */
export async function lockLanes(
  tx: Transaction,
  webhookIds: readonly string[],
  worker: string,
): Promise<ReadonlyMap<string, LockedLane>> {
  const rows = await tx.query(lockSql, [webhookIds, worker]);
  return new Map(rows.map((row) => [row.webhookId, { ...row, state: stateOf(row) }]));
}

/** Those of the webhooks that have a lane, locked or not. */
export async function existingLanes(tx: Transaction, webhookIds: readonly string[]): Promise<readonly string[]> {
  if (webhookIds.length === 0) return [];
  return (await tx.query(existingSql, [webhookIds])).map(({ webhookId }) => webhookId);
}

/** Writes lanes; travels with the transaction's other statements. */
export async function storeLanes(
  through: Queryable,
  lanes: readonly { readonly webhookId: string; readonly isOpen: boolean; readonly state: LaneState }[],
): Promise<void> {
  if (lanes.length === 0) return;
  const columns = [
    'webhookId',
    'isOpen',
    'windowMax',
    ({ probing }: LaneState) => probing?.sinceMs ?? null,
    ({ probing }: LaneState) => probing?.failedProbes ?? 0,
    ({ probing }: LaneState) => probing?.nextAtMs ?? null,
    'heldUntilMs',
    'consecutiveFailures',
    'countedUntilMs',
    'openedAtMs',
  ] as const;
  const rows = lanes.map(({ webhookId, isOpen, state }) => ({ webhookId, isOpen, ...state }));
  await through.query(storeSql, unnestColumns(rows, columns));
}

/** Makes the lane of a new webhook. */
export async function insertLane(tx: Transaction, organizationId: string, webhookId: string): Promise<void> {
  await tx.query(insertSql, [organizationId, webhookId]);
}

/** Opens a lane anew, of a webhook that is enabled or has another URL, and that the transaction has locked (`lockToChange`). */
export async function openLane(tx: Transaction, webhookId: string): Promise<void> {
  const lanes = await lockLanes(tx, [webhookId], NO_WORKER);
  await storeLanes(
    tx,
    [...lanes.values()].map(({ nowMs }) => ({ webhookId, isOpen: true, state: openedLane(nowMs) })),
  );
}

/** Makes lanes those of a worker, unless they are those of another that lives. @returns those that are its now */
export async function acquireLanes(
  queryable: Queryable,
  webhookIds: readonly string[],
  worker: string,
): Promise<readonly AcquiredLane[]> {
  const rows = await queryable.query(acquireSql, [webhookIds, worker]);
  return rows.map((row) => ({ webhookId: row.webhookId, organizationId: row.organizationId, state: stateOf(row) }));
}

/** Gives lanes back. */
export async function releaseLanes(queryable: Queryable, webhookIds: readonly string[], worker: string): Promise<void> {
  if (webhookIds.length > 0) await queryable.query(releaseSql, [webhookIds, worker]);
}

/** The state of a lane from its columns. */
export function stateOf(row: StateRow): LaneState {
  const { windowMax, probingSinceMs, failedProbes, nextProbeAtMs } = row;
  const { heldUntilMs, consecutiveFailures, countedUntilMs, openedAtMs } = row;
  const probing =
    probingSinceMs === null || nextProbeAtMs === null
      ? null
      : { sinceMs: probingSinceMs, failedProbes, nextAtMs: nextProbeAtMs };
  return { windowMax, probing, heldUntilMs, consecutiveFailures, countedUntilMs, openedAtMs };
}
