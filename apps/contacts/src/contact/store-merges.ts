import { statement, unnestColumns, type Transaction } from '@switchboard/postgres';
import type { ContactWrite } from './contact-ledger.js';
import { coverageOf } from './contact.policy.js';

/** What was merged into a contact that is merged itself leads to the last of them: no chain is longer than one. */
const repointSql = statement(
  'contacts.merged.repoint',
  `UPDATE contact m SET merged_into = w.merged_into
   FROM unnest($1::text[], $2::text[], $3::text[]) AS w(organization_id, id, merged_into)
   WHERE m.organization_id = w.organization_id AND m.merged_into = w.id`,
);
/** Lists find and show a merged contact by the coverage of the one that goes on, under whose lock this is. */
const coverSql = statement(
  'contacts.merged.cover',
  `UPDATE contact m SET coverage = w.coverage, updated_at = w.updated_at
   FROM unnest($1::text[], $2::text[], $3::int[], $4::timestamptz[]) AS w(organization_id, id, coverage, updated_at)
   WHERE m.organization_id = w.organization_id AND m.merged_into = w.id AND m.coverage <> w.coverage`,
);
/** Has merged contacts follow what is stored of those that go on. Behind their writes, under their locks. */
export function storeMerges(tx: Transaction, writes: readonly ContactWrite[]): void {
  // Also one that came into being in the same batch.
  const merged = writes.filter(
    ({ before, after }) => after.mergedInto !== null && (before?.mergedInto ?? null) === null,
  );
  if (merged.length > 0) {
    const rows = merged.map(({ after }) => after);
    tx.atCommit(repointSql, unnestColumns(rows, ['organizationId', 'id', 'mergedInto']));
  }
  const joined = new Set(merged.map(({ after }) => after.mergedInto));
  const covering = writes.filter(
    ({ before, after }) =>
      joined.has(after.id) || (before !== null && coverageOf(before.optOuts) !== coverageOf(after.optOuts)),
  );
  const goingOn = covering.map(({ after }) => after).filter(({ mergedInto }) => mergedInto === null);
  if (goingOn.length === 0) return;
  const columns = unnestColumns(goingOn, ['organizationId', 'id', ({ optOuts }) => coverageOf(optOuts), 'updatedAt']);
  tx.atCommit(coverSql, columns);
}
