import type { BulkRecipient } from '@switchboard/contracts/templates/job-rpc';
import { statement, unnestColumns, type Transaction } from '@switchboard/postgres';

/** One row each, in the order of the primary key. A repetition changes nothing. */
const insertSql = statement(
  'templates.recipient.insert',
  `INSERT INTO recipient (organization_id, job_id, index, phone, subscriber, variables, client_reference, metadata)
   SELECT $1, $2, $3::int + ordinality - 1, phone, subscriber, variables, client_reference, metadata
   FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[]) WITH ORDINALITY
     AS given (phone, subscriber, variables, client_reference, metadata, ordinality)
   ON CONFLICT DO NOTHING`,
);

/** Writes recipients under the id of a job that is not there yet. Travels with COMMIT. */
export function insertRecipients(
  tx: Transaction,
  organizationId: string,
  jobId: string,
  firstIndex: number,
  recipients: readonly BulkRecipient[],
): void {
  const values = unnestColumns(recipients, [
    ({ phone, to }) => phone?.e164 ?? to,
    ({ phone }) => phone?.subscriber ?? null,
    ({ variables }) => textOf(variables),
    'clientReference',
    ({ metadata }) => textOf(metadata),
  ]);
  tx.atCommit(insertSql, [organizationId, jobId, firstIndex, ...values]);
}

/** Positions of recipients whose number cannot be read without a region. */
export function unreadIndexes(recipients: readonly BulkRecipient[], firstIndex: number): number[] {
  return recipients.flatMap(({ phone }, offset) => (phone === null ? [firstIndex + offset] : []));
}

function textOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
