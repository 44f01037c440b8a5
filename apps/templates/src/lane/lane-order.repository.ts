import type { LaneHeldReason } from '@switchboard/contracts/messaging/bulk-events';
import type { LaneAction } from '@switchboard/contracts/messaging/bulk-rpc';
import { statement, unnestColumns, type Queryable, type Transaction } from '@switchboard/postgres';

/** An action for the lane of a job. */
export interface LaneOrder {
  readonly action: LaneAction;
  /** With HOLD and RELEASE alone. */
  readonly reason: LaneHeldReason | null;
  /** With RESUME: causes that last. */
  readonly keptReasons?: readonly LaneHeldReason[];
}

/** Actions of one job that a replica has taken to carry out. */
export interface TakenOrders {
  readonly organizationId: string;
  readonly jobId: string;
  readonly orders: readonly LaneOrder[];
  readonly failures: number;
}

interface TakenRow {
  readonly organizationId: string;
  readonly jobId: string;
  readonly actions: string[];
  readonly failures: number;
}

/** A replica that dies holds the orders of a job up for so long. */
const LEASE_SECONDS = 20;
/** Actions of one job never overtake each other: they are a list in one row, and one replica at a time has it. */
const appendSql = statement(
  'templates.lane-order.append',
  `INSERT INTO lane_order AS o (organization_id, job_id, actions)
   SELECT organization_id, job_id, ARRAY[action]
   FROM unnest($1::text[], $2::text[], $3::text[]) AS given (organization_id, job_id, action)
   ORDER BY organization_id COLLATE "C", job_id COLLATE "C"
   ON CONFLICT (organization_id, job_id) DO UPDATE SET actions = o.actions || excluded.actions`,
);
const takeDueSql = statement<TakenRow>(
  'templates.lane-order.take-due',
  `WITH due AS (
     SELECT organization_id, job_id FROM lane_order WHERE due_at <= now() ORDER BY due_at LIMIT $1
     FOR UPDATE SKIP LOCKED
   )
   UPDATE lane_order o SET due_at = now() + interval '${LEASE_SECONDS} seconds', lease = $2 FROM due
   WHERE o.organization_id = due.organization_id AND o.job_id = due.job_id
   RETURNING o.organization_id AS "organizationId", o.job_id AS "jobId", o.actions, o.failures`,
);
const takeSql = statement<TakenRow>(
  'templates.lane-order.take',
  `UPDATE lane_order SET due_at = now() + interval '${LEASE_SECONDS} seconds', lease = $3
   WHERE organization_id = $1 AND job_id = $2 AND (due_at <= now() OR lease IS NULL)
   RETURNING organization_id AS "organizationId", job_id AS "jobId", actions, failures`,
);
/** What was appended meanwhile, by a transaction that this waits for as well, stays, and is due. */
const doneSql = statement(
  'templates.lane-order.done',
  `UPDATE lane_order SET actions = actions[$4::int + 1:], due_at = now(), lease = NULL, failures = 0
   WHERE organization_id = $1 AND job_id = $2 AND lease = $3`,
);
const deleteSql = statement(
  'templates.lane-order.delete',
  `DELETE FROM lane_order WHERE organization_id = $1 AND job_id = $2 AND cardinality(actions) = 0`,
);
const waitingSql = statement<{ failures: number }>(
  'templates.lane-order.waiting',
  `SELECT failures FROM lane_order WHERE organization_id = $1 AND job_id = $2 AND cardinality(actions) > 0`,
);
const failedSql = statement(
  'templates.lane-order.failed',
  `UPDATE lane_order SET due_at = now() + make_interval(secs => $4), lease = NULL, failures = failures + 1
   WHERE organization_id = $1 AND job_id = $2 AND lease = $3`,
);

/** Appends one action to each of the jobs, each named once. Travels with COMMIT. */
export function appendLaneOrders(
  tx: Transaction,
  orders: readonly (LaneOrder & { readonly organizationId: string; readonly jobId: string })[],
): void {
  if (orders.length === 0) return;
  tx.atCommit(appendSql, unnestColumns(orders, ['organizationId', 'jobId', textOf]));
}

/** Takes the orders of jobs that are due. */
export async function takeDueOrders(through: Queryable, limit: number, lease: string): Promise<TakenOrders[]> {
  return (await through.query(takeDueSql, [limit, lease])).map(ordersOf);
}

/** Takes the orders of one job, those too that wait after a failure; null: there are none, or another replica has them. */
export async function takeOrders(
  through: Queryable,
  organizationId: string,
  jobId: string,
  lease: string,
): Promise<TakenOrders | null> {
  const [row] = await through.query(takeSql, [organizationId, jobId, lease]);
  return row ? ordersOf(row) : null;
}

/** Removes the first orders, which were carried out. */
export async function ordersDone(through: Queryable, taken: TakenOrders, lease: string, done: number): Promise<void> {
  await through.query(doneSql, [taken.organizationId, taken.jobId, lease, done]);
  await through.query(deleteSql, [taken.organizationId, taken.jobId]);
}

/** How often the orders of a job that are not carried out yet have failed; null: there are none. */
export async function failuresOfOrders(
  through: Queryable,
  organizationId: string,
  jobId: string,
): Promise<number | null> {
  const [waiting] = await through.query(waitingSql, [organizationId, jobId]);
  return waiting ? waiting.failures : null;
}

/** Lets the orders wait before they are tried again. */
export async function ordersFailed(
  through: Queryable,
  taken: TakenOrders,
  lease: string,
  pauseMs: number,
): Promise<void> {
  await through.query(failedSql, [taken.organizationId, taken.jobId, lease, pauseMs / 1_000]);
}

function ordersOf({ actions, ...row }: TakenRow): TakenOrders {
  return { ...row, orders: actions.map(orderOf) };
}

function textOf({ action, reason, keptReasons = [] }: LaneOrder): string {
  const reasons = reason === null ? keptReasons : [reason];
  return reasons.length === 0 ? action : `${action}:${reasons.join(',')}`;
}

/** Only `textOf` writes these texts. */
function orderOf(text: string): LaneOrder {
  const [action, reasons = ''] = text.split(':') as [LaneAction, string?];
  const named = reasons.split(',').filter((reason) => reason !== '') as LaneHeldReason[];
  return action === 'RESUME' ? { action, reason: null, keptReasons: named } : { action, reason: named[0] ?? null };
}
