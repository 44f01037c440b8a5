import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { QuotaUse } from '@switchboard/contracts/messaging/rpc';
import { sqlState, statement, type Queryable, type Transaction, unnestColumns } from '@switchboard/postgres';

/** What an organization takes from the quota of one month, in one transaction. */
export interface QuotaTake {
  readonly organizationId: string;
  /** `YYYY-MM`. */
  readonly month: string;
  readonly messages: number;
  /** All of them fit as long as no more than this was used before. */
  readonly usedBeforeMax: number;
}

/** SQLSTATE of `take_quota` when more was used meanwhile than its caller had seen. */
const QUOTA_MOVED = 'QT001';

const takeSql = statement('messaging.quota.take', 'SELECT take_quota($1::text[], $2::text[], $3::int[], $4::bigint[])');
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
  tx.atCommit(takeSql, unnestColumns(takes, ['organizationId', 'month', 'messages', 'usedBeforeMax']));
}

/** True when a transaction was rolled back because others took first: run again it sees what they left. */
export function isQuotaMoved(error: unknown): boolean {
  return sqlState(error) === QUOTA_MOVED;
}

/** What is used of the current month. */
export async function quotaUse(through: Queryable, organizationId: string): Promise<QuotaUse> {
  const [use] = await through.query(usedSql, [organizationId]);
  if (!use) throw new Error('the month has no row');
  return use;
}

/**
 * The month whose quota a message takes from, `YYYY-MM` in UTC: that of its id, which is its `createdAt`.
 *
 * An id never changes, so that taking and counting agree for good, whenever each of them happens.
 */
export function quotaMonthOf(messageId: string): string {
  return cuidTime(messageId).toISOString().slice(0, 'YYYY-MM'.length);
}

/** Why a message is refused, as one sentence for the caller. */
export function quotaRefusalOf(messageId: string, messagesMax: number): string {
  const [year = 0, month = 0] = quotaMonthOf(messageId).split('-').map(Number);
  const begins = new Date(Date.UTC(year, month)).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const quota = `${messagesMax.toLocaleString('en-US')} ${messagesMax === 1 ? 'message' : 'messages'}`;
  return `The monthly quota of ${quota} is used up; it resets on ${begins} at 00:00 UTC`;
}
