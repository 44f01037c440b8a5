import { cuidFloor } from '@switchboard/contracts/grammar/cuid';
import { ownColumns, ownPhones, type ErasureTarget, type Slice } from '@switchboard/platform';
import { statement, unnestColumns, type Database } from '@switchboard/postgres';
import type { StatusChange } from '../job/job-count.js';
import { applyOutcomes } from '../recipient/recipient-outcome.repository.js';

/** A place in the walk through an organization's recipients. */
export interface RecipientCursor {
  readonly jobId: string;
  readonly index: number;
}

/** A recipient that an erased contact is. */
export interface FoundRecipient extends RecipientCursor {
  readonly isQueued: boolean;
}

/** A slice of that walk. */
export interface FoundSlice extends Slice<RecipientCursor> {
  readonly found: readonly FoundRecipient[];
  /** Of the jobs of those that were found, the ones that are there: the others are being staged, or removed. */
  readonly accepted: readonly string[];
}

/**
 * By the primary key. A job that was accepted after the erasure speaks of a new contact, and one that was accepted after the contact
 * gave a number up of whoever has it since. What was overwritten before its batch was a job is found again.
 */
const sliceSql = statement<Omit<FoundSlice, 'found'> & { found: FoundRecipient[] | null }>(
  'templates.recipient.erasure-slice',
  `WITH slice AS MATERIALIZED (
     SELECT job_id, index, status = 'QUEUED' AS is_queued, status = 'QUEUED' AND reason IS NOT DISTINCT FROM 'ERASED' OR EXISTS (
       SELECT FROM unnest($5::text[], $6::text[]) AS own(form, until_id)
       WHERE job_id < own.until_id AND own.form IN (phone, subscriber)) AS is_found
     FROM recipient WHERE organization_id = $1 AND (job_id, index) > ($2, $3::int) AND job_id < $4
     ORDER BY job_id, index LIMIT $7)
   SELECT count(*)::int AS rows,
     (SELECT json_build_object('jobId', job_id, 'index', index) FROM slice ORDER BY job_id DESC, index DESC LIMIT 1) AS last,
     json_agg(json_build_object('jobId', job_id, 'index', index, 'isQueued', is_queued)) FILTER (WHERE is_found) AS found,
     ARRAY(SELECT id FROM job
       WHERE organization_id = $1 AND id = ANY (ARRAY(SELECT DISTINCT job_id FROM slice WHERE is_found))) AS accepted
   FROM slice`,
);
const overwriting = (others = ''): string => `
   UPDATE recipient r SET phone = '', subscriber = '', variables = NULL, client_reference = NULL, metadata = NULL${others}
   FROM unnest($2::text[], $3::int[]) AS given (job_id, index)
   WHERE r.organization_id = $1 AND r.job_id = given.job_id AND r.index = given.index`;
const eraseSql = statement('templates.recipient.erase', overwriting());
/** One that is queued is marked: it is not handed over, and is found again, by its erasure or by the feed of the job. */
const eraseStagedSql = statement(
  'templates.recipient.erase-staged',
  overwriting(", reason = CASE WHEN r.status = 'QUEUED' THEN 'ERASED' ELSE r.reason END"),
);

/** A cancellation counts the recipients that it skips without locking them: it has ended, or begins afterwards. */
const shareJobsSql = statement(
  'templates.job.share-many',
  'SELECT FROM job WHERE organization_id = $1 AND id = ANY ($2::text[]) ORDER BY id FOR SHARE',
);

/** The next recipients behind the cursor, and which of them the contact is. */
export async function findRecipients(
  database: Database,
  target: Pick<ErasureTarget, 'organizationId' | 'erasedAt' | 'phoneForms' | 'former'>,
  behind: RecipientCursor,
  limit: number,
): Promise<FoundSlice> {
  const [slice] = await database.query(sliceSql, [
    target.organizationId,
    behind.jobId,
    behind.index,
    cuidFloor(target.erasedAt),
    ...ownColumns(ownPhones(target)),
    limit,
  ]);
  return slice ? { ...slice, found: slice.found ?? [] } : { rows: 0, last: null, found: [], accepted: [] };
}

/**
 * Overwrites recipients of batches that are no jobs yet. What is queued of them stays so: there are neither counts nor a reservation that
 * it could be taken out of.
 */
export async function overwriteStaged(
  database: Database,
  organizationId: string,
  recipients: readonly RecipientCursor[],
): Promise<void> {
  await database.query(eraseStagedSql, [organizationId, ...unnestColumns(recipients, ['jobId', 'index'])]);
}

/** Overwrites recipients of jobs; those that are queued are SKIPPED. @returns what changed of the counts */
export async function eraseRecipients(
  database: Database,
  organizationId: string,
  recipients: readonly RecipientCursor[],
): Promise<StatusChange[]> {
  const outcome = { organizationId, messageId: null, status: 'SKIPPED', reason: 'ERASED' } as const;
  return database.transaction(async (tx) => {
    await tx.query(shareJobsSql, [organizationId, [...new Set(recipients.map(({ jobId }) => jobId))]]);
    const changes = await applyOutcomes(
      tx,
      recipients.map(({ jobId, index }) => ({ ...outcome, jobId, index })),
    );
    tx.atCommit(eraseSql, [organizationId, ...unnestColumns(recipients, ['jobId', 'index'])]);
    return changes;
  });
}
