import type { Clock } from '@switchboard/platform';
import { statement, unnestColumns, type Queryable } from '@switchboard/postgres';
import type { AccountKey } from '../channel/channel.repository.js';
import { LEASE_SECONDS, type LeasedAccount } from './account.repository.js';

/** At once of one organization, in all replicas: its slow or many accounts leave a place for those of others. */
const RUNS_OF_ORGANIZATION = 3;
/** Accounts that are listed at once, in the order in which they are claimed. */
const LISTED_MAX = 64;
/** How long the order counts: what is due since then, or was just connected, is listed by the next one. */
const LISTED_MS = 500;

const IS_FREE = 'a.lease_until IS NULL OR a.lease_until <= now()';
/** Whoever has connected it looks at an empty list, and those of the schedule have one: with thousands of them due it is no last one. */
const IS_KNOWN = 'a.synced_at IS NOT NULL OR a.failures > 0';
/**
 * By turns of organizations, those that were never tried first, then the longest due: how many of its accounts come before it, with those
 * that have a run, which stay due.
 */
const listSql = statement<AccountKey>(
  'templates.account.list-due',
  `SELECT organization_id AS "organizationId", business_account_id AS "businessAccountId"
   FROM (SELECT a.organization_id, a.business_account_id, a.next_sync_at, ${IS_FREE} AS is_free, ${IS_KNOWN} AS is_known,
       count(*) FILTER (WHERE a.lease_until > now()) OVER (PARTITION BY a.organization_id)
       + row_number() OVER (PARTITION BY a.organization_id, ${IS_FREE} ORDER BY ${IS_KNOWN}, a.next_sync_at) AS turn
     FROM account a WHERE a.next_sync_at <= now()) AS due
   WHERE is_free AND turn <= ${RUNS_OF_ORGANIZATION}
   ORDER BY turn, is_known, next_sync_at LIMIT $1`,
);
/** Of those that are listed what is due and free still; rows that another replica locks are its own to take. */
const claimSql = statement<Omit<LeasedAccount, 'leaseOwner'>>(
  'templates.account.claim',
  `WITH listed AS (
     SELECT organization_id, business_account_id, (
         SELECT count(*) FROM account r WHERE r.organization_id = l.organization_id AND r.lease_until > now())
       + row_number() OVER (PARTITION BY organization_id ORDER BY place) AS turn
     FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS l (organization_id, business_account_id, place)),
   claimed AS (
     SELECT a.organization_id, a.business_account_id
     FROM listed JOIN account a USING (organization_id, business_account_id)
     WHERE listed.turn <= ${RUNS_OF_ORGANIZATION} AND a.next_sync_at <= now() AND (${IS_FREE}) FOR UPDATE OF a SKIP LOCKED)
   UPDATE account a SET lease_owner = $1, lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
   FROM claimed c WHERE a.organization_id = c.organization_id AND a.business_account_id = c.business_account_id
   RETURNING a.organization_id AS "organizationId", a.business_account_id AS "businessAccountId",
     a.next_sync_at::text AS "dueAt", a.failures, a.error`,
);

/**
 * Accounts that are due, claimed one or a few at a time. Their order needs a look at all of them, which is kept for what is claimed next:
 * with thousands due, one for each claim would take longer than a run.
 */
export class DueAccounts {
  private listed: readonly AccountKey[] = [];
  private listedMs = -Infinity;

  constructor(
    private readonly through: Queryable,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {}

  /** Leases accounts that are due and that no living run has, at most so many. */
  async claim(leaseOwner: string, limit: number): Promise<LeasedAccount[]> {
    const nowMs = this.clock.monotonic();
    if (this.listed.length < limit || nowMs - this.listedMs >= LISTED_MS) {
      this.listed = await this.through.query(listSql, [Math.max(LISTED_MAX, limit)]);
      this.listedMs = nowMs;
    }
    const claimed: LeasedAccount[] = [];
    while (claimed.length < limit && this.listed.length > 0) {
      const count = limit - claimed.length;
      const next = unnestColumns(this.listed.slice(0, count), ['organizationId', 'businessAccountId']);
      this.listed = this.listed.slice(count);
      const rows = await this.through.query(claimSql, [leaseOwner, ...next]);
      claimed.push(...rows.map((row) => ({ ...row, leaseOwner })));
    }
    return claimed;
  }
}
