import { Inject, Injectable } from '@nestjs/common';
import { gatewayWebhookActsConsumer } from '@switchboard/contracts/consumers';
import { webhookActed } from '@switchboard/contracts/webhooks/events';
import { PLATFORM, type Platform } from '@switchboard/platform';
import { ActsConsumer } from '../../acts/acts-consumer.js';
import { AUDIT_TRAIL, type AuditTrail } from '../../identity/audit.contract.js';

/** Writes acts on webhooks into the log that are not in it yet. */
@Injectable()
export class WebhookActsConsumer extends ActsConsumer {
  constructor(@Inject(PLATFORM) platform: Platform, @Inject(AUDIT_TRAIL) auditTrail: AuditTrail) {
    super(platform, auditTrail, { consumer: gatewayWebhookActsConsumer, event: webhookActed });
  }
}
