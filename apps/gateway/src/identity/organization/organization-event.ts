import { organizationChanged } from '@switchboard/contracts/gateway/events';
import { appendEvents } from '@switchboard/outbox';
import type { Transaction } from '@switchboard/postgres';
import { listPlans, type OrganizationRow } from './organization.repository.js';

/** Emits what an organization pays for from now on, in the transaction that has its row locked. */
export async function appendOrganizationChanged(tx: Transaction, organization: OrganizationRow): Promise<void> {
  const { id, plan, subscription } = organization;
  const own = (await tx.query(listPlans, [])).find(({ name }) => name === plan);
  const messagesPerMonth = organization.messagesPerMonth ?? own?.messagesPerMonth;
  if (messagesPerMonth === undefined) throw new Error('the plan of an organization is not there');
  const event = { event: organizationChanged, organizationId: id, aggregateId: id, sequence: null };
  appendEvents(tx, [{ ...event, occurredAt: new Date(), data: { subscription, plan, messagesPerMonth } }]);
}
