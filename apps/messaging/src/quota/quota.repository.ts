import type { QuotaUse } from '@switchboard/contracts/messaging/rpc';
import { sqlState, statement, type Queryable, type Transaction } from '@switchboard/postgres';

/** What an organization takes from the quota of one month, in one transaction. */
export interface QuotaTake {
  readonly organizationId: string;
  /** `YYYY-MM`. */
  readonly month: string;
  readonly messages: number;
  /** All of them fit as long as no more than this was used before. */
  readonly usedBeforeMax: number;
}

/** A month's counter that moves because messages count no more, or count again. */
export interface QuotaChange {
  readonly organizationId: string;
  readonly month: string;
  /** Negative: given back. */
  readonly messages: number;
}

/** SQLSTATE of `take_quota` when more was used meanwhile than its caller had seen. */
const QUOTA_MOVED = 'QT001';

const takeSql = statement('messaging.quota.take', 'SELECT take_quota($1::text[], $2::text[], $3::int[], $4::bigint[])');
/**
 * Rows in the order in which `take_quota` locks them. Never below 0, which messages could bring about that were accepted
 * by a release that did not count. Above the plan's number it may come: what the upstream refused and delivered all the
 * same was sent, whatever it used to say, and the next send is refused for it.
 */
const changeSql = statement(
  'messaging.quota.change',
  `INSERT INTO quota AS q (organization_id, month, used)
   SELECT c.organization_id, c.month, greatest(c.messages, 0)
   FROM unnest($1::text[], $2::text[], $3::int[]) AS c(organization_id, month, messages) ORDER BY 1, 2
   ON CONFLICT (organization_id, month) DO UPDATE SET used = greatest(q.used + (
     SELECT c.messages FROM unnest($1::text[], $2::text[], $3::int[]) AS c(organization_id, month, messages)
     WHERE c.organization_id = excluded.organization_id AND c.month = excluded.month), 0)`,
);
const usedSql = statement<QuotaUse>(
  'messaging.quota.used',
  `SELECT this.month, coalesce(q.used, 0)::float8 AS used
   FROM (SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM') AS month) AS this
   LEFT JOIN quota q ON q.organization_id = $1 AND q.month = this.month`,
);

/**
 * Takes from quotas, each organization and month at most once in a call. Travels with COMMIT and is best put there last:
 * from here on the counter's row is locked, for every other send of the organization.
 *
 * The transaction fails as a whole when more was used meanwhile than its caller saw; see `isQuotaMoved`.
 */
export function takeQuota(tx: Transaction, takes: readonly QuotaTake[]): void {
  if (takes.length === 0) return;
  tx.atCommit(takeSql, [
    takes.map(({ organizationId }) => organizationId),
    takes.map(({ month }) => month),
    takes.map(({ messages }) => messages),
    takes.map(({ usedBeforeMax }) => usedBeforeMax),
  ]);
}

/** True when a transaction was rolled back because others took first: run again it sees what they left. */
export function isQuotaMoved(error: unknown): boolean {
  return sqlState(error) === QUOTA_MOVED;
}

/** Moves counters with the messages that the transaction changes. Travels with COMMIT, last as `takeQuota`. */
export function changeQuota(tx: Transaction, changes: readonly QuotaChange[]): void {
  if (changes.length === 0) return;
  tx.atCommit(changeSql, [
    changes.map(({ organizationId }) => organizationId),
    changes.map(({ month }) => month),
    changes.map(({ messages }) => messages),
  ]);
}

/** What is used of the current month. */
export async function quotaUse(through: Queryable, organizationId: string): Promise<QuotaUse> {
  const [use] = await through.query(usedSql, [organizationId]);
  if (!use) throw new Error('the month has no row');
  return use;
}
