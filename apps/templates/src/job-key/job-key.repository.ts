import type { JobKey } from '@switchboard/contracts/templates/job-rpc';
import { pruneSql, statement, type PruneStatement, type Queryable, type Transaction } from '@switchboard/postgres';

/** The job of a key. */
export interface KeptKey {
  readonly jobId: string;
  /** In hexadecimal. */
  readonly bodySha256: string;
}

/** A batch that asks for its key. */
export interface KeyClaim {
  readonly organizationId: string;
  readonly key: JobKey;
  readonly bodySha256: string;
  readonly jobId: string;
}

/** A claim outlasts `commit-job`'s deadline; after it the key of a replica that died is free. */
const CLAIM_SECONDS = 30;
/** Source: docs/api-behaviour.md#bulk-sends-idempotency. */
const DERIVED_MINUTES = 10;

const findSql = statement<KeptKey>(
  'templates.job-key.find',
  `SELECT job_id AS "jobId", encode(body_sha256, 'hex') AS "bodySha256" FROM job_key
   WHERE organization_id = $1 AND kind = $2 AND sha256 = decode($3, 'hex') AND is_live
     AND (until IS NULL OR until > now())`,
);
/** The same batch may claim again: its former request may have lost its answer. */
const claimSql = statement<{ isClaimed: boolean }>(
  'templates.job-key.claim',
  `INSERT INTO job_key AS k (organization_id, kind, sha256, body_sha256, job_id, until)
   VALUES ($1, $2, decode($3, 'hex'), decode($4, 'hex'), $5, now() + interval '${CLAIM_SECONDS} seconds')
   ON CONFLICT (organization_id, kind, sha256) DO UPDATE
     SET body_sha256 = excluded.body_sha256, job_id = excluded.job_id, is_live = false, until = excluded.until
     WHERE k.until <= now() OR (NOT k.is_live AND k.job_id = excluded.job_id)
   RETURNING true AS "isClaimed"`,
);
const keepSql = statement<{ isKept: boolean }>(
  'templates.job-key.keep',
  `UPDATE job_key SET is_live = true,
     until = CASE kind WHEN 'derived' THEN now() + interval '${DERIVED_MINUTES} minutes' END
   WHERE organization_id = $1 AND kind = $2 AND sha256 = decode($3, 'hex') AND job_id = $4 AND NOT is_live
   RETURNING true AS "isKept"`,
);
const freeSql = statement(
  'templates.job-key.free',
  `DELETE FROM job_key
   WHERE organization_id = $1 AND kind = $2 AND sha256 = decode($3, 'hex') AND job_id = $4 AND NOT is_live`,
);

/** Deletes keys that are over. Only for space: such a key is free whether it is stored or not. */
export const pruneJobKeys: PruneStatement = statement(
  'templates.job-key.prune',
  pruneSql({
    table: 'job_key',
    key: ['organization_id', 'kind', 'sha256'],
    age: 'until',
    upTo: `now() - interval '1 minute'`,
  }),
);

/** The job that a key answers; null when it is free or only claimed. */
export async function findKey(through: Queryable, organizationId: string, key: JobKey): Promise<KeptKey | null> {
  const [row] = await through.query(findSql, [organizationId, key.kind, key.sha256]);
  return row ?? null;
}

/** Claims a key for a batch. @returns false while another batch has it */
export async function claimKey(through: Queryable, claim: KeyClaim): Promise<boolean> {
  const { organizationId, key, bodySha256, jobId } = claim;
  const rows = await through.query(claimSql, [organizationId, key.kind, key.sha256, bodySha256, jobId]);
  return rows.length > 0;
}

/** Makes a claimed key the key of its job. @returns false when the claim was over and another batch has it */
export async function keepKey(tx: Transaction, { organizationId, key, jobId }: KeyClaim): Promise<boolean> {
  return (await tx.query(keepSql, [organizationId, key.kind, key.sha256, jobId])).length > 0;
}

/** Ends a claim, so that another batch may have the key at once. */
export async function freeKey(through: Queryable, { organizationId, key, jobId }: KeyClaim): Promise<void> {
  await through.query(freeSql, [organizationId, key.kind, key.sha256, jobId]);
}
