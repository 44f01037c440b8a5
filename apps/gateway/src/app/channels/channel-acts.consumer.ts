import { Inject, Injectable } from '@nestjs/common';
import { gatewayChannelActsConsumer } from '@switchboard/contracts/consumers';
import { channelActed } from '@switchboard/contracts/messaging/channel-events';
import { PLATFORM, type Platform } from '@switchboard/platform';
import { ActsConsumer } from '../../acts/acts-consumer.js';
import { AUDIT_TRAIL, type AuditTrail } from '../../identity/audit.contract.js';

/** Writes acts on channels into the log that are not in it yet. */
@Injectable()
export class ChannelActsConsumer extends ActsConsumer {
  constructor(@Inject(PLATFORM) platform: Platform, @Inject(AUDIT_TRAIL) auditTrail: AuditTrail) {
    super(platform, auditTrail, { consumer: gatewayChannelActsConsumer, event: channelActed });
  }
}
