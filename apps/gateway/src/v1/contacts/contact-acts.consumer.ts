import { Inject, Injectable } from '@nestjs/common';
import { gatewayContactActsConsumer } from '@switchboard/contracts/consumers';
import { contactActed } from '@switchboard/contracts/contacts/events';
import { PLATFORM, type Platform } from '@switchboard/platform';
import { ActsConsumer } from '../../acts/acts-consumer.js';
import { AUDIT_TRAIL, type AuditTrail } from '../../identity/audit.contract.js';

/** Writes erasures of contacts into the log that are not in it yet. */
@Injectable()
export class ContactActsConsumer extends ActsConsumer {
  constructor(@Inject(PLATFORM) platform: Platform, @Inject(AUDIT_TRAIL) auditTrail: AuditTrail) {
    super(platform, auditTrail, { consumer: gatewayContactActsConsumer, event: contactActed });
  }
}
