import type { ParameterFormat, TemplateComponent, TemplateStatus } from '@switchboard/contracts/templates/http';
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

/** Makes the accounts of organizations due, as if they had never been synchronised: `synchronisedTemplates` waits for that. */
export async function resetSynchronisation(run: RunSql, organizationIds: readonly string[]): Promise<void> {
  await run(
    `UPDATE templates.account SET synced_at = NULL, next_sync_at = now(), lease_owner = NULL, lease_until = NULL
     WHERE organization_id = ANY ($1)`,
    [organizationIds],
  );
}

/** The organization's templates in the order in which they were found; null as long as an account is not synchronised. */
export async function synchronisedTemplates(
  run: RunSql,
  organizationId: string,
): Promise<readonly ShownTemplate[] | null> {
  const accounts = await run(
    `SELECT coalesce(bool_and(synced_at IS NOT NULL), false) AS "isDone" FROM templates.account WHERE organization_id = $1`,
    [organizationId],
  );
  if ((accounts.rows[0] as { isDone: boolean } | undefined)?.isDone !== true) return null;
  const { rows } = await run(
    `SELECT id, name, language, status, parameter_format AS "parameterFormat", components FROM templates.template
     WHERE organization_id = $1 ORDER BY id`,
    [organizationId],
  );
  return (rows as readonly Row[]).map(({ components, ...shown }) => ({
    ...shown,
    variables: variablesOf(components, shown.parameterFormat).length,
  }));
}
