import type { ParameterFormat, TemplateComponent, TemplateStatus } from '@switchboard/contracts/templates/http';
import { unnestColumns } from '@switchboard/postgres';
import { variablesOf } from './template/template-places.policy.js';

/** Runs one statement as a role that may write every schema; the seed has its own connection. */
export type RunSql = (sql: string, values: readonly unknown[]) => Promise<{ readonly rows: readonly unknown[] }>;

/** What `dev.json` says of a template. */
export interface ShownTemplate {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly status: TemplateStatus;
  readonly parameterFormat: ParameterFormat;
  /** How many values a send must give. */
  readonly variables: number;
}

type Row = Omit<ShownTemplate, 'variables'> & { readonly components: readonly TemplateComponent[] };

/** An organization's account at the provider. */
export interface SeededAccount {
  readonly organizationId: string;
  readonly businessAccountId: string;
}

/** Makes accounts due, as if they had never been synchronised: `synchronisedTemplates` waits for that. */
export async function resetSynchronisation(run: RunSql, accounts: readonly SeededAccount[]): Promise<void> {
  await run(
    `UPDATE templates.account SET synced_at = NULL, next_sync_at = now(), lease_owner = NULL, lease_until = NULL
     WHERE (organization_id, business_account_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    unnestColumns(accounts, ['organizationId', 'businessAccountId']),
  );
}

/**
 * The templates of the account in the order in which they were found; null as long as it is not synchronised. Other accounts
 * of the organization, of channels that were connected by hand, are not waited for: the provider may know them no more.
 */
export async function synchronisedTemplates(
  run: RunSql,
  { organizationId, businessAccountId }: SeededAccount,
): Promise<readonly ShownTemplate[] | null> {
  const account = [organizationId, businessAccountId];
  const synced = await run(
    `SELECT FROM templates.account WHERE organization_id = $1 AND business_account_id = $2 AND synced_at IS NOT NULL`,
    account,
  );
  if (synced.rows.length === 0) return null;
  const { rows } = await run(
    `SELECT id, name, language, status, parameter_format AS "parameterFormat", components FROM templates.template
     WHERE organization_id = $1 AND business_account_id = $2 ORDER BY id`,
    account,
  );
  return (rows as readonly Row[]).map(({ components, ...shown }) => ({
    ...shown,
    variables: variablesOf(components, shown.parameterFormat).length,
  }));
}
