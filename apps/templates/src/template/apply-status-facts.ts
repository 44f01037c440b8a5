import type { TemplateStatus } from '@switchboard/contracts/templates/http';
import { statement, unnestColumns, type Transaction } from '@switchboard/postgres';
import { requestSync } from '../account/account.repository.js';
import type { AccountKey } from '../channel/channel.repository.js';
import { changeStatuses, type StatusChange } from './change-statuses.js';
import { templateMetrics, type StatusSource } from './template-metrics.js';

/** What a callback, or the refusal of a send, says of a template. */
export interface StatusFact {
  /** Null: of every organization that has the account. */
  readonly organizationId: string | null;
  readonly businessAccountId: string;
  readonly name: string;
  /** With a dash or an underscore. */
  readonly language: string;
  /** Null where it was not said, or not to the digit. */
  readonly upstreamTemplateId: string | null;
  /** Null: the template is not as we know it, the list has to say how it is. */
  readonly status: TemplateStatus | null;
  /** By the upstream's clock. */
  readonly at: Date;
}

interface KnownTemplate {
  readonly organizationId: string;
  readonly templateId: string;
  readonly businessAccountId: string;
  readonly name: string;
  readonly language: string;
  readonly upstreamTemplateId: string;
  readonly status: TemplateStatus;
  readonly statusAt: Date;
  /** As of when the account's last list was. */
  readonly listedAt: Date | null;
}

/** Locked in the order of their keys, as every writer of templates locks them. */
const lockSql = statement<KnownTemplate>(
  'templates.template.lock-by-name',
  `SELECT t.organization_id AS "organizationId", t.id AS "templateId", t.business_account_id AS "businessAccountId", t.name,
     t.language, t.upstream_template_id AS "upstreamTemplateId", t.status, t.status_at AS "statusAt",
     a.listed_at AS "listedAt"
   FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[])) AS k(account, name)
   JOIN template t ON t.business_account_id = k.account AND t.name = k.name
   JOIN account a ON a.organization_id = t.organization_id AND a.business_account_id = t.business_account_id
   ORDER BY t.organization_id, t.id FOR UPDATE OF t`,
);
const accountsSql = statement<AccountKey>(
  'templates.account.of-business',
  `SELECT a.organization_id AS "organizationId", a.business_account_id AS "businessAccountId"
   FROM (SELECT DISTINCT * FROM unnest($1::text[])) AS k(account) JOIN account a ON a.business_account_id = k.account`,
);

/**
 * Applies facts about statuses in the order of the upstream's time: one that is older than what is known changes nothing.
 *
 * An account whose template is not known, not in this form, or has another status now is synchronised: a review of an edited
 * template ends with a status, and its text is in the list alone.
 */
export async function applyStatusFacts(
  tx: Transaction,
  facts: readonly StatusFact[],
  source: StatusSource,
): Promise<void> {
  if (facts.length === 0) return;
  const accounts = await tx.query(accountsSql, [facts.map(({ businessAccountId }) => businessAccountId)]);
  const known = await tx.query(lockSql, unnestColumns(facts, ['businessAccountId', 'name']));
  const now = new Map(known.map((template) => [template, { status: template.status, atMs: newestMs(template) }]));
  const changes: StatusChange[] = [];
  const toList: AccountKey[] = [];
  for (const fact of [...facts].sort((a, b) => a.at.getTime() - b.at.getTime())) {
    const owners = accounts.filter((account) => isOf(fact, account));
    if (owners.length === 0) templateMetrics().fact('unknown-account');
    for (const account of owners) {
      const template = known.find((one) => one.organizationId === account.organizationId && isAbout(fact, one));
      const state = template && now.get(template);
      if (!template || !state || fact.status === null) {
        templateMetrics().fact('unknown-template');
        toList.push(account);
      } else if (fact.at.getTime() < state.atMs) {
        templateMetrics().fact('older');
      } else {
        templateMetrics().fact('applied');
        if (fact.status !== state.status) toList.push(account);
        const { organizationId, templateId } = template;
        changes.push({ organizationId, templateId, from: state.status, to: fact.status, at: fact.at });
        now.set(template, { status: fact.status, atMs: fact.at.getTime() });
      }
    }
  }
  await changeStatuses(tx, changes, source);
  await requestSync(tx, toList);
}

/** A list is as new as the newest fact about each template that is on it. */
function newestMs({ statusAt, listedAt }: KnownTemplate): number {
  return Math.max(statusAt.getTime(), listedAt?.getTime() ?? 0);
}

function isOf(fact: StatusFact, account: AccountKey): boolean {
  return (
    fact.businessAccountId === account.businessAccountId &&
    (fact.organizationId === null || fact.organizationId === account.organizationId)
  );
}

/** The id decides where it is given: a template may have been deleted and made again under its name. */
function isAbout(fact: StatusFact, template: KnownTemplate): boolean {
  return (
    fact.businessAccountId === template.businessAccountId &&
    fact.name === template.name &&
    withUnderscore(fact.language) === withUnderscore(template.language) &&
    (fact.upstreamTemplateId === null || fact.upstreamTemplateId === template.upstreamTemplateId)
  );
}

function withUnderscore(language: string): string {
  return language.replaceAll('-', '_');
}
