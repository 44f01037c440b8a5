import type { UserActor } from '../grammar/audited-act.js';
import { defineEvent } from '../grammar/define-event.js';
import type { WebhookView } from './http.js';

/** The acts on webhooks that the audit log holds; each is an action of it under the same name. */
export type WebhookAction =
  | 'webhook.created'
  | 'webhook.changed'
  | 'webhook.deleted'
  | 'webhook.enabled'
  | 'webhook.secret-rotated'
  | 'webhook.tested'
  | 'webhook.redelivered'
  | 'webhook.replayed';

/** Who acts on a webhook. */
export type WebhookActor = UserActor;

/** What a person decided about a webhook: not its counters, and never its secret. */
export type AuditedWebhook = Pick<WebhookView, 'id' | 'url' | 'events' | 'description' | 'status'>;

/** What an act was about: the webhook around a change, or the details of an act that changed none of its fields. */
export interface WebhookActFacts {
  readonly action: WebhookAction;
  readonly before: AuditedWebhook | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/**
 * A person acted on a webhook; committed with what the act did, so that the audit log gets it whatever fails behind it.
 *
 * @aggregate webhook
 */
export const webhookActed = defineEvent<WebhookActFacts & { readonly by: WebhookActor }>(
  'webhooks',
  'webhook.acted',
  1,
);

/** A webhook was deactivated because its receiver failed: an act of the platform, for the audit log. */
export interface WebhookDeactivation {
  readonly before: AuditedWebhook;
  readonly after: AuditedWebhook;
  /** A sentence for people: how often it failed, and how last. */
  readonly reason: string;
}

/**
 * A webhook was deactivated after consecutive failures; committed with the deactivation, so that the audit log says when it ended to
 * be active.
 *
 * @aggregate webhook
 */
export const webhookDeactivated = defineEvent<WebhookDeactivation>('webhooks', 'webhook.deactivated', 1);

/** A webhook as the audit log shows it. */
export function auditedWebhook({ id, url, events, description, status }: AuditedWebhook): AuditedWebhook {
  return { id, url, events, description, status };
}
