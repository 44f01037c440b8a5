import {
  pruneSql,
  statement,
  unnestColumns,
  type PruneStatement,
  type Queryable,
  type Transaction,
} from '@switchboard/postgres';
import type { FormerAlias } from './contact.entity.js';
import type { FormerHolder } from './former-holder.policy.js';

/** Numbers of which it matters who had them before. */
export interface FormerQuestion {
  readonly organizationId: string;
  readonly formerAliases?: readonly string[];
}

interface FormerHolderRow extends Omit<FormerAlias, 'until' | 'movedAt'> {
  readonly movedAt: Date;
}

/** In the order of the key, under the locks of the contacts. What a contact had twice counts until it gave it up for the last time. */
const keepSql = statement(
  'contacts.former-alias.keep',
  `INSERT INTO former_alias (organization_id, contact_id, alias, until, moved_at)
   SELECT organization_id, contact_id, alias, max(until), max(moved_at)
   FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[])
     AS given(organization_id, contact_id, alias, until, moved_at)
   GROUP BY organization_id, contact_id, alias ORDER BY 1, 2, 3
   ON CONFLICT (organization_id, contact_id, alias) DO UPDATE SET until = greatest(former_alias.until, excluded.until),
     moved_at = greatest(former_alias.moved_at, excluded.moved_at)`,
);
/** By `former_alias_moved`. */
const holdersSql = statement<FormerHolderRow>(
  'contacts.former-alias.holders',
  `SELECT f.organization_id AS "organizationId", f.contact_id AS "contactId", f.alias, f.moved_at AS "movedAt"
   FROM unnest($1::text[], $2::text[]) AS asked(organization_id, alias)
   JOIN former_alias f ON f.organization_id = asked.organization_id AND f.alias = asked.alias AND f.moved_at IS NOT NULL`,
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
 * Remembers what contacts gave up: when one is erased, the other services look for it too, in what they stored before; and what was said
 * under a number before it changed is of who had it then (`findFormerHolders`). To whom a number belongs is said by aliases alone.
 */
export async function keepFormerAliases(tx: Transaction, aliases: readonly FormerAlias[]): Promise<void> {
  if (aliases.length === 0) return;
  const movedAt = ({ movedAt: at = null }: { readonly movedAt?: string | null }): string | null => at;
  await tx.query(keepSql, unnestColumns(aliases, ['organizationId', 'contactId', 'alias', 'until', movedAt]));
}

/** Who had the `formerAliases` of questions until a number changed, by organization. Asks only where there are any. */
export async function findFormerHolders(
  through: Queryable,
  questions: readonly FormerQuestion[],
): Promise<ReadonlyMap<string, readonly FormerHolder[]>> {
  const asked = questions.flatMap(({ organizationId, formerAliases = [] }) =>
    formerAliases.map((alias) => ({ organizationId, alias })),
  );
  if (asked.length === 0) return new Map();
  const rows = await through.query(holdersSql, unnestColumns(asked, ['organizationId', 'alias']));
  const holders = rows.map((row) => ({ ...row, movedAt: row.movedAt.toISOString() }));
  return Map.groupBy(holders, ({ organizationId }) => organizationId);
}
