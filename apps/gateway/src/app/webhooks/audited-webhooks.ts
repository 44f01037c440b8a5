import { Inject, Injectable } from '@nestjs/common';
import type { WebhookView } from '@switchboard/contracts/webhooks/http';
import { AUDIT_TRAIL, type AuditAction, type AuditTrail, type SessionAct } from '../../identity/audit.contract.js';

type WebhookAction = Extract<AuditAction, `webhook.${string}`>;

/**
 * Writes acts on webhooks into the audit log, once the service has done them and before they are answered.
 *
 * The service commits first: only it knows what was before. When the log cannot be written the caller is answered an error, and
 * the process's log holds the act.
 */
@Injectable()
export class AuditedWebhooks {
  constructor(@Inject(AUDIT_TRAIL) private readonly auditTrail: AuditTrail) {}

  /** An act that changed the webhook's own fields; null: there was nothing, or there is nothing left. */
  changed(
    act: SessionAct,
    action: WebhookAction,
    { before, after }: { readonly before: WebhookView | null; readonly after: WebhookView | null },
  ): Promise<void> {
    return this.auditTrail.record({ ...act, action, before: stateOf(before), after: stateOf(after) });
  }

  /** An act that changed none of them. */
  acted(act: SessionAct, action: WebhookAction, details: Readonly<Record<string, unknown>>): Promise<void> {
    return this.auditTrail.record({ ...act, action, before: null, after: details });
  }
}

/** What a person decided about the webhook: not its counters, and never its secret. */
function stateOf(webhook: WebhookView | null): Readonly<Record<string, unknown>> | null {
  if (webhook === null) return null;
  const { id, url, events, description, status } = webhook;
  return { id, url, events, description, status };
}
