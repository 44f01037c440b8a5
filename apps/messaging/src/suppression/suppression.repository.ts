import { statement, type Transaction } from '@switchboard/postgres';

/** Who must not be sent to. */
export interface Suppression {
  readonly organizationId: string;
  readonly contactId: string;
  /** `*` stands for every channel. */
  readonly channelId: string;
  readonly source: 'API' | 'KEYWORD' | 'CONSOLE' | 'UPSTREAM';
}

/** Sorted like every lock of contacts. */
const lockSql = statement(
  'messaging.suppression.lock-contacts',
  `SELECT FROM unnest($1::text[], $2::text[]) AS told(organization_id, id)
   JOIN contact c ON c.organization_id = told.organization_id AND c.id = told.id
   ORDER BY c.organization_id, c.id FOR UPDATE OF c`,
);
const insertSql = statement(
  'messaging.suppression.insert',
  `INSERT INTO suppression (organization_id, contact_id, channel_id, source)
   SELECT DISTINCT ON (organization_id, contact_id, channel_id) organization_id, contact_id, channel_id, source
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS s(organization_id, contact_id, channel_id, source)
   ORDER BY organization_id, contact_id, channel_id ON CONFLICT DO NOTHING`,
);

/**
 * Writes suppressions under their contacts' locks, which it takes first: to be called before the transaction locks
 * anything else (see `lockMessages`).
 *
 * A send that is being marked holds its contact too (`holdContacts`, `claimRetries`): it is marked before, and seen by
 * `attemptsThatMayStillBegin` once this transaction is committed, or it sees the suppression.
 */
export async function suppress(tx: Transaction, suppressions: readonly Suppression[]): Promise<void> {
  if (suppressions.length === 0) return;
  const organizationIds = suppressions.map(({ organizationId }) => organizationId);
  const contactIds = suppressions.map(({ contactId }) => contactId);
  await tx.query(lockSql, [organizationIds, contactIds]);
  tx.atCommit(insertSql, [
    organizationIds,
    contactIds,
    suppressions.map(({ channelId }) => channelId),
    suppressions.map(({ source }) => source),
  ]);
}
