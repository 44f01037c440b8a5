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

/**
 * By the primary key. A job that was accepted after the erasure speaks of a new contact, and one that was accepted after the contact
 * gave a number up of whoever has it since.
 */
const sliceSql = statement<Slice<RecipientCursor> & { found: FoundRecipient[] | null }>(
  'templates.recipient.erasure-slice',
  `WITH slice AS MATERIALIZED (
     SELECT job_id, index, status = 'QUEUED' AS is_queued, EXISTS (
       SELECT FROM unnest($5::text[], $6::text[]) AS own(form, until_id)
       WHERE job_id < own.until_id AND own.form IN (phone, subscriber)) AS is_found
     FROM recipient WHERE organization_id = $1 AND (job_id, index) > ($2, $3::int) AND job_id < $4
     ORDER BY job_id, index LIMIT $7)
   SELECT count(*)::int AS rows,
     (SELECT json_build_object('jobId', job_id, 'index', index) FROM slice ORDER BY job_id DESC, index DESC LIMIT 1) AS last,
     json_agg(json_build_object('jobId', job_id, 'index', index, 'isQueued', is_queued)) FILTER (WHERE is_found) AS found
   FROM slice`,
);
const eraseSql = statement(
  'templates.recipient.erase',
  `UPDATE recipient r SET phone = '', subscriber = '', variables = NULL, client_reference = NULL, metadata = NULL
   FROM unnest($2::text[], $3::int[]) AS given (job_id, index)
   WHERE r.organization_id = $1 AND r.job_id = given.job_id AND r.index = given.index`,
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
): Promise<Slice<RecipientCursor> & { readonly found: readonly FoundRecipient[] }> {
  const [slice] = await database.query(sliceSql, [
    target.organizationId,
    behind.jobId,
    behind.index,
    cuidFloor(target.erasedAt),
    ...ownColumns(ownPhones(target)),
    limit,
  ]);
  return { rows: slice?.rows ?? 0, last: slice?.last ?? null, found: slice?.found ?? [] };
}

/** Overwrites recipients; those that are queued are SKIPPED. @returns what changed of the counts */
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
