import { inSlices, type ErasedContact, type ErasureTarget, type Slice } from '@switchboard/platform';
import { statement, unnestColumns, type Database, type Transaction } from '@switchboard/postgres';
import { lockContacts } from '../suppression/suppression.repository.js';

/** Numbers that are looked at in one statement. */
const SLICE_MAX = 5_000;

/** A newer version than any other that may come: facts of the contact that are still on their way change nothing. */
const forgetSql = statement(
  'messaging.contact.erase',
  `INSERT INTO contact (organization_id, id, phone, messaging_id, name, version)
   SELECT organization_id, id, '', '', NULL, version
   FROM unnest($1::text[], $2::text[], $3::bigint[]) AS given(organization_id, id, version) ORDER BY 1, 2
   ON CONFLICT (organization_id, id) DO UPDATE SET phone = '', messaging_id = '', name = NULL, version = excluded.version
   WHERE contact.version < excluded.version`,
);
/** Former numbers of the contact too, which nothing else names any more. By the primary key. */
const phonesSliceSql = statement<Slice<string> & { found: string[] | null }>(
  'messaging.contact-phone.erasure-slice',
  `WITH slice AS MATERIALIZED (
     SELECT phone, contact_id = $2 AS is_found FROM contact_phone WHERE organization_id = $1 AND phone > $3
     ORDER BY phone LIMIT $4)
   SELECT count(*)::int AS rows, max(phone) AS last, array_agg(phone) FILTER (WHERE is_found) AS found FROM slice`,
);
const deletePhonesSql = statement(
  'messaging.contact-phone.erase',
  'DELETE FROM contact_phone WHERE organization_id = $1 AND contact_id = $2 AND phone = ANY ($3::text[])',
);

/** Behind every send that is being marked: those that had the contact are committed. */
export async function forgetContacts(
  tx: Transaction,
  erased: readonly Pick<ErasedContact, 'organizationId' | 'contactId' | 'version'>[],
): Promise<void> {
  await lockContacts(tx, erased);
  await tx.query(forgetSql, unnestColumns(erased, ['organizationId', 'contactId', 'version']));
}

/** Deletes the numbers that led to the contact. */
export async function erasePhones(database: Database, target: ErasureTarget): Promise<void> {
  const { organizationId, contactId } = target;
  await inSlices('', SLICE_MAX, async (behind) => {
    const [slice] = await database.query(phonesSliceSql, [organizationId, contactId, behind, SLICE_MAX]);
    if (slice?.found) await database.query(deletePhonesSql, [organizationId, contactId, slice.found]);
    await target.keepOn();
    return slice;
  });
}
