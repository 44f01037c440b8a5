import { webhookActed, type WebhookActFacts, type WebhookActor } from '@switchboard/contracts/webhooks/events';
import { appendEvents } from '@switchboard/outbox';
import { statement, type Transaction } from '@switchboard/postgres';

const knownSql = statement<{ isKnown: boolean }>(
  'webhooks.act.known',
  'SELECT EXISTS (SELECT FROM outbox WHERE id = $1) AS "isKnown"',
);

/** An act that the audit log is to hold. */
export interface WebhookAct extends WebhookActFacts {
  readonly organizationId: string;
  readonly webhookId: string;
}

/**
 * Emits the event of an act, in the transaction that does it, so that the audit log gets it whatever fails behind it. The webhook
 * must be locked: an act that is asked for again emits no second one.
 *
 * @param by absent: the caller is of the release before, and writes the log alone
 */
export async function appendAct(tx: Transaction, by: WebhookActor | undefined, act: WebhookAct): Promise<void> {
  if (!by) return;
  const [found] = await tx.query(knownSql, [by.actId]);
  if (found?.isKnown) return;
  const { organizationId, webhookId: aggregateId, ...facts } = act;
  const of = { id: by.actId, event: webhookActed, organizationId, aggregateId, sequence: null };
  appendEvents(tx, [{ ...of, occurredAt: new Date(), data: { ...facts, by } }]);
}
