import { changesNothing, type ActFacts } from '@switchboard/contracts/grammar/audited-act';
import {
  auditedWebhook,
  webhookActed,
  type WebhookActFacts,
  type WebhookActor,
} from '@switchboard/contracts/webhooks/events';
import type { WebhookView } from '@switchboard/contracts/webhooks/http';
import type { ChangedWebhook } from '@switchboard/contracts/webhooks/rpc';
import { appendAct, findAct } from '@switchboard/outbox';
import type { Transaction } from '@switchboard/postgres';
import { requireWebhook, webhookView } from './webhook-view.js';
import { findWebhook, type WebhookRow } from './webhook.repository.js';

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
 * @returns false when it was done before
 */
export async function appendWebhookAct(
  tx: Transaction,
  by: WebhookActor | undefined,
  act: WebhookAct,
): Promise<boolean> {
  if (await isDone(tx, by)) return false;
  const { webhookId: aggregateId, ...facts } = act;
  appendAct(tx, by, { event: webhookActed, aggregateId, ...facts });
  return true;
}

/**
 * Whether an act was done before: it is asked for again when its answer was lost. The webhook must be locked.
 *
 * @param by absent: the caller is of the release before, and is not known to ask again
 */
export async function isDone(tx: Transaction, by: WebhookActor | undefined): Promise<boolean> {
  return (await findAct(tx, by)) !== null;
}

/**
 * The webhook around an act that is asked for again, because its answer was lost; it must be locked. What the first answer would have
 * said: the caller may be the one that writes the audit log.
 *
 * @param now as it is, whatever has changed it since
 * @returns null when the act was not done
 */
export async function formerChange(
  tx: Transaction,
  by: WebhookActor | undefined,
  now: WebhookRow,
): Promise<ChangedWebhook | null> {
  const done = await findAct(tx, by);
  return done && { before: recordedView(now, done.before), after: recordedView(now, done.after) };
}

/** @param recorded what `auditedWebhook` has put there */
function recordedView(now: WebhookRow, recorded: ActFacts<string>['after']): WebhookView {
  const view: WebhookView = { ...webhookView(now), ...recorded };
  return view.status === 'ACTIVE' ? { ...view, deactivatedAt: null, deactivatedReason: null } : view;
}

/**
 * Emits the event of an act that has changed a webhook; none of a change that leaves all as it is.
 *
 * @param before as it was locked
 * @returns how it was, and is now
 */
export async function appendChange(
  tx: Transaction,
  by: WebhookActor | undefined,
  action: 'webhook.changed' | 'webhook.enabled',
  { organizationId, id, before }: { readonly organizationId: string; readonly id: string; readonly before: WebhookRow },
): Promise<ChangedWebhook> {
  const after = requireWebhook(await findWebhook(tx, organizationId, id));
  const changed = { before: webhookView(before), after: webhookView(after) };
  const audited = { before: { ...auditedWebhook(changed.before) }, after: { ...auditedWebhook(changed.after) } };
  // Enabled, its count of failures is 0 again, which is not shown.
  if (action === 'webhook.changed' && changesNothing(audited)) return changed;
  await appendWebhookAct(tx, by, { organizationId, webhookId: id, action, ...audited });
  return changed;
}
