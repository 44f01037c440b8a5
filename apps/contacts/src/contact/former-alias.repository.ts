import { pruneSql, statement, unnestColumns, type PruneStatement, type Transaction } from '@switchboard/postgres';
import type { FormerAlias } from './contact.entity.js';

/** In the order of the key, under the locks of the contacts. What a contact had twice counts until it gave it up for the last time. */
const keepSql = statement(
  'contacts.former-alias.keep',
  `INSERT INTO former_alias (organization_id, contact_id, alias, until)
   SELECT organization_id, contact_id, alias, max(until)
   FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) AS given(organization_id, contact_id, alias, until)
   GROUP BY organization_id, contact_id, alias ORDER BY 1, 2, 3
   ON CONFLICT (organization_id, contact_id, alias)
     DO UPDATE SET until = greatest(former_alias.until, excluded.until)`,
);
/** Deletes those that were given up so many days ago. */
export const pruneFormerAliases: PruneStatement = statement(
  'contacts.former-alias.prune',
  pruneSql({
    table: 'former_alias',
    key: ['organization_id', 'contact_id', 'alias'],
    age: 'until',
    upTo: 'now() - make_interval(days => $2)',
  }),
);

/**
 * Remembers what contacts gave up: when one is erased, the other services look for it too, in what they stored before.
 *
 * Nothing else reads it: to whom a number belongs is said by aliases alone.
 */
export async function keepFormerAliases(tx: Transaction, aliases: readonly FormerAlias[]): Promise<void> {
  if (aliases.length === 0) return;
  await tx.query(keepSql, unnestColumns(aliases, ['organizationId', 'contactId', 'alias', 'until']));
}
