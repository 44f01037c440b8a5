import { Injectable } from '@nestjs/common';
import { Database, statement, type Transaction } from '@switchboard/postgres';

/** A place is free again so long after the last chunk. */
const PLACE_SECONDS = 60;

/** One organization counts its places at a time: else two bodies would both take the last one. */
const lockPlacesSql = statement(
  'templates.staging.lock-places',
  `SELECT pg_advisory_xact_lock(hashtextextended('staged-job ' || $1, 0))`,
);
/** A job that has its place keeps it, whatever the others take. */
const beginSql = statement<{ isAdmitted: boolean }>(
  'templates.staging.begin',
  `WITH taken AS (
     SELECT count(*) AS places FROM staged_job s
     WHERE s.organization_id = $1 AND s.job_id <> $2 AND s.has_place AND NOT s.is_abandoned AND (
       s.created_at > now() - make_interval(secs => ${PLACE_SECONDS}) OR EXISTS (
         SELECT FROM staged_chunk c WHERE c.organization_id = s.organization_id AND c.job_id = s.job_id
           AND c.staged_at > now() - make_interval(secs => ${PLACE_SECONDS})))
   ), added AS (
     INSERT INTO staged_job (organization_id, job_id, has_place)
     SELECT $1, $2, $3::int IS NOT NULL FROM taken WHERE $3::int IS NULL OR taken.places < $3::int
     ON CONFLICT DO NOTHING RETURNING 1
   )
   SELECT EXISTS (SELECT FROM added) OR EXISTS (
     SELECT FROM staged_job WHERE organization_id = $1 AND job_id = $2 AND NOT is_abandoned) AS "isAdmitted"`,
);
const abandonSql = statement(
  'templates.staging.abandon',
  `UPDATE staged_job SET is_abandoned = true WHERE organization_id = $1 AND job_id = $2`,
);
/** A chunk and the removal of its job exclude each other; chunks of one job do not. */
const shareSql = statement<{ isAbandoned: boolean }>(
  'templates.staging.share',
  `SELECT is_abandoned AS "isAbandoned" FROM staged_job WHERE organization_id = $1 AND job_id = $2 FOR SHARE`,
);
const takeSql = statement<{ isAbandoned: boolean }>(
  'templates.staging.take',
  `SELECT is_abandoned AS "isAbandoned" FROM staged_job WHERE organization_id = $1 AND job_id = $2 FOR UPDATE`,
);
const removeSql = statement(
  'templates.staging.remove',
  `WITH chunks AS (DELETE FROM staged_chunk WHERE organization_id = $1 AND job_id = $2)
   DELETE FROM staged_job WHERE organization_id = $1 AND job_id = $2`,
);

/** Jobs whose recipients are being staged; they are not visible to a caller. */
@Injectable()
export class StagedJobRepository {
  constructor(private readonly database: Database) {}

  /** Begins a job; idempotent. @param placesMax null: it takes no place. @returns false when every place is taken */
  async begin(organizationId: string, jobId: string, placesMax: number | null): Promise<boolean> {
    const begin = async (tx: Transaction): Promise<boolean> => {
      if (placesMax !== null) await tx.query(lockPlacesSql, [organizationId]);
      const [begun] = await tx.query(beginSql, [organizationId, jobId, placesMax]);
      return begun?.isAdmitted ?? false;
    };
    return this.database.transaction(begin, { tenant: organizationId });
  }

  /** Gives a job up: its place is free at once, its rows are removed later. */
  async abandon(organizationId: string, jobId: string): Promise<void> {
    await this.database.query(abandonSql, [organizationId, jobId]);
  }
}

/** Keeps the job's staging from being removed until the transaction ends. @returns false when it is gone or given up */
export async function holdStaging(tx: Transaction, organizationId: string, jobId: string): Promise<boolean> {
  const [row] = await tx.query(shareSql, [organizationId, jobId]);
  return row !== undefined && !row.isAbandoned;
}

/** Takes the job's staging for itself alone. @returns false when it is gone or given up */
export async function takeStaging(tx: Transaction, organizationId: string, jobId: string): Promise<boolean> {
  const [row] = await tx.query(takeSql, [organizationId, jobId]);
  return row !== undefined && !row.isAbandoned;
}

/** Removes what says that a job is staged; its recipients stay. Travels with COMMIT. */
export function endStaging(tx: Transaction, organizationId: string, jobId: string): void {
  tx.atCommit(removeSql, [organizationId, jobId]);
}
