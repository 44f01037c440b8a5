import { Inject, Injectable } from '@nestjs/common';
import { gatewayWebhookActsConsumer } from '@switchboard/contracts/consumers';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { webhookActed, webhookDeactivated } from '@switchboard/contracts/webhooks/events';
import { eventDataOf, PLATFORM, type Platform } from '@switchboard/platform';
import { ActsConsumer } from '../../acts/acts-consumer.js';
import { AUDIT_TRAIL, type AuditTrail, type NewAuditEntry } from '../../identity/audit.contract.js';

/** Writes acts on webhooks into the log that are not in it yet, and deactivations by the platform. */
@Injectable()
export class WebhookActsConsumer extends ActsConsumer {
  constructor(@Inject(PLATFORM) platform: Platform, @Inject(AUDIT_TRAIL) auditTrail: AuditTrail) {
    super(platform, auditTrail, { consumer: gatewayWebhookActsConsumer, event: webhookActed });
  }

  protected override entryOf(envelope: EventEnvelope<unknown>): NewAuditEntry | null {
    const found = eventDataOf(envelope, webhookDeactivated);
    if (!found) return super.entryOf(envelope);
    const { organizationId, data } = found;
    const { before, after, reason } = data;
    const act = { organizationId, actor: { type: 'system' }, address: null, traceId: null } as const;
    return { ...act, action: 'webhook.deactivated', before: { ...before }, after: { ...after, reason } };
  }
}
