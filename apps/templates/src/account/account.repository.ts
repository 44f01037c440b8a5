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
