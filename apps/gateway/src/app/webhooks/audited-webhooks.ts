import { Inject, Injectable } from '@nestjs/common';
import { gatewayWebhookActsConsumer } from '@switchboard/contracts/consumers';
import { changesNothing } from '@switchboard/contracts/grammar/audited-act';
import { auditedWebhook, type WebhookAction, type WebhookActor } from '@switchboard/contracts/webhooks/events';
import type { WebhookView } from '@switchboard/contracts/webhooks/http';
import { AUDIT_TRAIL, type AuditTrail, type SessionAct } from '../../identity/audit.contract.js';

/**
 * Writes acts on webhooks into the audit log before they are answered.
 *
 * The service commits the act with an event of it, by the id that `actorOf` mints: what ends before the log is written here
 * is written by the event.
 */
@Injectable()
export class AuditedWebhooks {
  constructor(@Inject(AUDIT_TRAIL) private readonly auditTrail: AuditTrail) {}

  /** An act that changed the webhook's own fields; null: there was nothing, or there is nothing left. A change of none is not written. */
  async changed(
    act: SessionAct,
    by: WebhookActor | undefined,
    action: WebhookAction,
    { before, after }: { readonly before: WebhookView | null; readonly after: WebhookView | null },
  ): Promise<void> {
    const states = { before: before && { ...auditedWebhook(before) }, after: after && { ...auditedWebhook(after) } };
    if (action === 'webhook.changed' && changesNothing(states)) return;
    await this.record(by, { ...act, action, ...states });
  }

  /** An act that changed none of them. */
  acted(
    act: SessionAct,
    by: WebhookActor | undefined,
    action: WebhookAction,
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return this.record(by, { ...act, action, before: null, after: details });
  }

  /** A reading of the secret, which changes nothing: without its entry the secret is not shown. */
  shown(act: SessionAct, id: string): Promise<void> {
    return this.auditTrail.record({ ...act, action: 'webhook.secret-shown', before: null, after: { id } });
  }

  private record(by: WebhookActor | undefined, entry: Parameters<AuditTrail['record']>[0]): Promise<void> {
    return this.auditTrail.recordAct(gatewayWebhookActsConsumer, by, entry);
  }
}
