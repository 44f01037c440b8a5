import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { UpstreamTemplate } from '@switchboard/contracts/messaging/template-rpc';
import { statement, unnestColumns, type Queryable, type Transaction } from '@switchboard/postgres';
import type { AccountKey } from '../channel/channel.repository.js';
import { changeStatuses } from '../template/change-statuses.js';
import { foldName } from '../template/template.repository.js';
import { planPage, templateKey, type StoredTemplate } from './reconcile.policy.js';

const COLUMNS = `t.id, t.name, t.language, t.status, t.status_at AS "statusAt", t.upstream_template_id AS "upstreamTemplateId",
  t.category, t.parameter_format AS "parameterFormat", t.components::text AS components`;
/** Locked in the order of their keys, as every writer of templates locks them. */
const lockSql = statement<StoredTemplate>(
  'templates.template.lock-listed',
  `SELECT ${COLUMNS} FROM unnest($3::text[], $4::text[]) AS k(name, language)
   JOIN template t ON t.organization_id = $1 AND t.business_account_id = $2 AND t.name = k.name AND t.language = k.language
   ORDER BY t.id FOR UPDATE OF t`,
);
const addSql = statement(
  'templates.template.add',
  `INSERT INTO template (organization_id, business_account_id, status_at, updated_at, id, name, language, search_name,
     status, upstream_template_id, category, parameter_format, components)
   SELECT $1, $2, $3, now(), * FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
     $10::text[], $11::text[], $12::json[])
   ON CONFLICT (organization_id, business_account_id, name, language) DO NOTHING`,
);
const editSql = statement(
  'templates.template.edit',
  `UPDATE template t SET upstream_template_id = e.upstream_template_id, category = e.category,
     parameter_format = e.parameter_format, components = e.components, updated_at = now()
   FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::json[])
     AS e(id, upstream_template_id, category, parameter_format, components)
   WHERE t.organization_id = $1 AND t.id = e.id`,
);
const aliveSql = statement<{ id: string; name: string; language: string }>(
  'templates.template.alive-of-account',
  `SELECT id, name, language FROM template
   WHERE organization_id = $1 AND business_account_id = $2 AND status <> 'DISABLED'`,
);
const lockIdsSql = statement<Pick<StoredTemplate, 'id' | 'status' | 'statusAt'>>(
  'templates.template.lock-vanished',
  `SELECT t.id, t.status, t.status_at AS "statusAt" FROM unnest($2::text[]) AS k(id)
   JOIN template t ON t.organization_id = $1 AND t.id = k.id ORDER BY t.id FOR UPDATE OF t`,
);

/** Stores a page of the upstream's list. @returns whether a status is in doubt: the account must be read again soon */
export async function storePage(
  tx: Transaction,
  { organizationId, businessAccountId }: AccountKey,
  listed: readonly UpstreamTemplate[],
  asOf: Date,
): Promise<boolean> {
  if (listed.length === 0) return false;
  const keys = unnestColumns([...new Map(listed.map((one) => [templateKey(one), one])).values()], ['name', 'language']);
  const stored = await tx.query(lockSql, [organizationId, businessAccountId, ...keys]);
  const { added, edited, statuses, isInDoubt } = planPage(stored, listed, asOf);
  if (added.length > 0) {
    const columns = unnestColumns(added, [
      () => newCuid(),
      'name',
      'language',
      ({ name }) => foldName(name),
      'status',
      'upstreamTemplateId',
      'category',
      'parameterFormat',
      'components',
    ]);
    await tx.query(addSql, [organizationId, businessAccountId, asOf, ...columns]);
  }
  if (edited.length > 0) {
    const columns = unnestColumns(edited, ['id', 'upstreamTemplateId', 'category', 'parameterFormat', 'components']);
    await tx.query(editSql, [organizationId, ...columns]);
  }
  await changeStatuses(
    tx,
    statuses.map((change) => ({ ...change, organizationId, at: asOf })),
    'list',
  );
  return isInDoubt;
}

/** Templates of the account that are not DISABLED and were not listed. */
export async function findUnlisted(
  through: Queryable,
  { organizationId, businessAccountId }: AccountKey,
  listedKeys: ReadonlySet<string>,
): Promise<readonly string[]> {
  const alive = await through.query(aliveSql, [organizationId, businessAccountId]);
  return alive.filter((template) => !listedKeys.has(templateKey(template))).map(({ id }) => id);
}

/** Disables templates that vanished, unless a fact is newer than the list. @param asOf when the list was begun */
export async function disableVanished(
  tx: Transaction,
  { organizationId }: AccountKey,
  ids: readonly string[],
  asOf: Date,
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await tx.query(lockIdsSql, [organizationId, ids]);
  const vanished = rows.filter(({ statusAt }) => statusAt <= asOf);
  const changes = vanished.map(({ id: templateId, status: from }) => ({ organizationId, templateId, from, at: asOf }));
  await changeStatuses(
    tx,
    changes.map((change) => ({ ...change, to: 'DISABLED' as const })),
    'list',
  );
}
