import { templateStatusUpdated } from '@switchboard/contracts/templates/events';
import type { TemplateStatus } from '@switchboard/contracts/templates/http';
import { appendEvents } from '@switchboard/outbox';
import { statement, unnestColumns, type Transaction } from '@switchboard/postgres';
import { templateMetrics, type StatusSource } from './template-metrics.js';
import { joinChannel, templateView, viewColumns, type TemplateRow } from './template-view.js';
import { isAnnounced } from './upstream-status.policy.js';

/** A newer fact about the status of a template whose row the transaction has locked. */
export interface StatusChange {
  readonly organizationId: string;
  readonly templateId: string;
  readonly from: TemplateStatus;
  readonly to: TemplateStatus;
  /** By the upstream's clock. */
  readonly at: Date;
}

/** Of several facts about a template the last one given holds. A fact that confirms the status moves its time alone. */
const updateSql = statement(
  'templates.template.change-status',
  `UPDATE template t SET status = f.status, status_at = f.at,
     updated_at = CASE WHEN t.status = f.status THEN t.updated_at ELSE now() END
   FROM (SELECT DISTINCT ON (organization_id, id) *
     FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) WITH ORDINALITY
       AS f(organization_id, id, status, at, place)
     ORDER BY organization_id, id, place DESC) f
   WHERE t.organization_id = f.organization_id AND t.id = f.id`,
);
const viewsSql = statement<TemplateRow & { readonly organizationId: string }>(
  'templates.template.changed-views',
  `SELECT t.organization_id AS "organizationId", ${viewColumns}
   FROM unnest($1::text[], $2::text[]) AS k(organization_id, id)
   JOIN template t ON t.organization_id = k.organization_id AND t.id = k.id ${joinChannel}`,
);

/**
 * Stores newer facts about statuses, in the order in which they happened, and emits an event for each change that is worth
 * one: to APPROVED, REJECTED, PAUSED or DISABLED.
 */
export async function changeStatuses(
  tx: Transaction,
  changes: readonly StatusChange[],
  source: StatusSource,
): Promise<void> {
  if (changes.length === 0) return;
  await tx.query(updateSql, unnestColumns(changes, ['organizationId', 'templateId', 'to', 'at']));
  const real = changes.filter(({ from, to }) => from !== to);
  for (const { to } of real) templateMetrics().statusChanged(to, source);
  const announced = real.filter(({ to }) => isAnnounced(to));
  if (announced.length === 0) return;
  const rows = await tx.query(viewsSql, unnestColumns(announced, ['organizationId', 'templateId']));
  const views = new Map(rows.map(({ organizationId, ...row }) => [`${organizationId} ${row.id}`, templateView(row)]));
  appendEvents(
    tx,
    announced.flatMap(({ organizationId, templateId, from, to, at }) => {
      const view = views.get(`${organizationId} ${templateId}`);
      // Without a channel of its account there is no template to show.
      if (!view) return [];
      const data = { template: { ...view, status: to }, previousStatus: from };
      const event = { event: templateStatusUpdated, organizationId, aggregateId: templateId, sequence: null };
      // What is known to the second is taken for its end, which may not have come yet.
      return [{ ...event, occurredAt: new Date(Math.min(at.getTime(), Date.now())), data }];
    }),
  );
}
