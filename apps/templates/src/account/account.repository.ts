import { statement, unnestColumns, type Queryable } from '@switchboard/postgres';
import type { AccountKey } from '../channel/channel.repository.js';

/** An account whose templates one run synchronises, until its lease ends. */
export interface LeasedAccount extends AccountKey {
  /** Of the run; another one that took over has another. */
  readonly leaseOwner: string;
  /** When it was due, to the microsecond: it differs when the account became due again meanwhile. */
  readonly dueAt: string;
  /** Runs before this one that failed in a row. */
  readonly failures: number;
  /** Of the last run, if it failed. */
  readonly error: string | null;
}

/**
 * A run that waits for an answer renews its lease after each page; a killed one is taken over so late. Longer than the
 * deadline of a page and of the transaction that stores it together.
 */
export const LEASE_SECONDS = 30;
/** Between the end of a run and the next one of the same account, whatever made it due. */
export const RUNS_APART_SECONDS = 5;
/** At once of one organization, in all replicas: its slow or many accounts leave a place for those of others. */
const RUNS_OF_ORGANIZATION = 3;

const requestSql = statement(
  'templates.account.request-sync',
  `INSERT INTO account (organization_id, business_account_id)
   SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) ORDER BY 1, 2
   ON CONFLICT (organization_id, business_account_id) DO UPDATE SET next_sync_at = CASE
     WHEN account.lease_until > now() THEN now()
     WHEN account.next_sync_at <= now() THEN account.next_sync_at
     ELSE least(account.next_sync_at,
       greatest(now(), coalesce(account.synced_at, '-infinity') + make_interval(secs => ${RUNS_APART_SECONDS}))) END`,
);
const IS_FREE = 'a.lease_until IS NULL OR a.lease_until <= now()';
/** Whoever has connected it looks at an empty list, and those of the schedule have one: with thousands of them due it is no last one. */
const IS_KNOWN = 'a.synced_at IS NOT NULL OR a.failures > 0';
/**
 * By turns of organizations, those that were never tried first, then the longest due: how many of its accounts come before it, with those
 * that have a run, which stay due. Rows that another replica locks are its own to take.
 */
const claimSql = statement<Omit<LeasedAccount, 'leaseOwner'>>(
  'templates.account.claim',
  `WITH due AS (SELECT a.organization_id, a.business_account_id, a.next_sync_at, ${IS_FREE} AS is_free, ${IS_KNOWN} AS is_known,
         count(*) FILTER (WHERE a.lease_until > now()) OVER (PARTITION BY a.organization_id)
         + row_number() OVER (PARTITION BY a.organization_id, ${IS_FREE} ORDER BY ${IS_KNOWN}, a.next_sync_at) AS turn
       FROM account a WHERE a.next_sync_at <= now()),
     claimed AS (SELECT a.organization_id, a.business_account_id
       FROM due JOIN account a USING (organization_id, business_account_id)
       WHERE due.is_free AND due.turn <= ${RUNS_OF_ORGANIZATION} AND a.next_sync_at <= now() AND (${IS_FREE})
       ORDER BY due.turn, due.is_known, due.next_sync_at LIMIT $2 FOR UPDATE OF a SKIP LOCKED)
   UPDATE account a SET lease_owner = $1, lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
   FROM claimed c WHERE a.organization_id = c.organization_id AND a.business_account_id = c.business_account_id
   RETURNING a.organization_id AS "organizationId", a.business_account_id AS "businessAccountId",
     a.next_sync_at::text AS "dueAt", a.failures, a.error`,
);
const OWN = 'organization_id = $1 AND business_account_id = $2 AND lease_owner = $3';
const renewSql = statement<{ organizationId: string }>(
  'templates.account.renew-lease',
  `UPDATE account SET lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
   WHERE ${OWN} RETURNING organization_id AS "organizationId"`,
);
/** Due again at its time, or as soon as it may when it became due during the run. */
const NEXT = `lease_owner = NULL, lease_until = NULL, next_sync_at = CASE
  WHEN next_sync_at = $4::timestamptz THEN now() + make_interval(secs => $5)
  ELSE now() + make_interval(secs => least($5, ${RUNS_APART_SECONDS})) END`;
const completeSql = statement(
  'templates.account.complete-sync',
  `UPDATE account SET ${NEXT}, synced_at = now(), listed_at = greatest(listed_at, $6::timestamptz), failures = 0,
     error = NULL
   WHERE ${OWN}`,
);
const failSql = statement(
  'templates.account.fail-sync',
  `UPDATE account SET ${NEXT}, failures = failures + 1, error = $6 WHERE ${OWN}`,
);

const releaseSql = statement(
  'templates.account.release',
  `UPDATE account SET lease_owner = NULL, lease_until = NULL WHERE ${OWN}`,
);

/** Makes accounts due, and known: what a run has read before now does not count. */
export async function requestSync(through: Queryable, accounts: readonly AccountKey[]): Promise<void> {
  if (accounts.length === 0) return;
  await through.query(requestSql, unnestColumns(accounts, ['organizationId', 'businessAccountId']));
}

/** Leases accounts that are due and that no living run has, at most so many. */
export async function claimDue(through: Queryable, leaseOwner: string, limit: number): Promise<LeasedAccount[]> {
  const rows = await through.query(claimSql, [leaseOwner, limit]);
  return rows.map((row) => ({ ...row, leaseOwner }));
}

/** Extends the lease. @returns false when another run has taken over: what this one read must not be stored */
export async function renewLease(through: Queryable, account: LeasedAccount): Promise<boolean> {
  return (await through.query(renewSql, ownOf(account))).length > 0;
}

/** Ends a run that has read the whole list. @param listedAt as of when the list was, by the upstream's clock */
export async function completeSync(
  through: Queryable,
  account: LeasedAccount,
  { nextInSeconds, listedAt }: { readonly nextInSeconds: number; readonly listedAt: Date },
): Promise<void> {
  await through.query(completeSql, [...ownOf(account), account.dueAt, nextInSeconds, listedAt]);
}

/** Ends a run that has not. @param error a code, for operators */
export async function failSync(
  through: Queryable,
  account: LeasedAccount,
  { nextInSeconds, error }: { readonly nextInSeconds: number; readonly error: string },
): Promise<void> {
  await through.query(failSql, [...ownOf(account), account.dueAt, nextInSeconds, error]);
}

/** Gives a run up: the account stays due, and any replica may begin anew. */
export async function releaseLease(through: Queryable, account: LeasedAccount): Promise<void> {
  await through.query(releaseSql, ownOf(account));
}

function ownOf({ organizationId, businessAccountId, leaseOwner }: LeasedAccount): [string, string, string] {
  return [organizationId, businessAccountId, leaseOwner];
}
