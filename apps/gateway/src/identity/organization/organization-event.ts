import { organizationChanged } from '@switchboard/contracts/gateway/events';
import { appendEvents, eventMoment } from '@switchboard/outbox';
import { statement, type Transaction } from '@switchboard/postgres';
import type { OrganizationRow } from './organization.repository.js';

const planSql = statement<{ messagesPerMonth: number; excludedScopes: readonly string[] }>(
  'gateway.plan.of-event',
  `SELECT messages_per_month::float8 AS "messagesPerMonth", excluded_scopes AS "excludedScopes" FROM plan WHERE name = $1`,
);

/** Emits what an organization pays for from now on, in the transaction that has its row locked. */
export async function appendOrganizationChanged(tx: Transaction, organization: OrganizationRow): Promise<void> {
  const { id, plan, subscription } = organization;
  const [own] = await tx.query(planSql, [plan]);
  if (!own) throw new Error('the plan of an organization is not there');
  const messagesPerMonth = organization.messagesPerMonth ?? own.messagesPerMonth;
  const data = { subscription, plan, messagesPerMonth, excludedScopes: own.excludedScopes };
  const event = { event: organizationChanged, organizationId: id, aggregateId: id, sequence: null };
  const { newId, occurredAt } = await eventMoment(tx);
  appendEvents(tx, [{ ...event, id: newId(), occurredAt, data }]);
}
