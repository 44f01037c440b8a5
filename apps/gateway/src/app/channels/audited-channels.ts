import { Inject, Injectable } from '@nestjs/common';
import { gatewayChannelActsConsumer } from '@switchboard/contracts/consumers';
import { changesNothing, type UserActor } from '@switchboard/contracts/grammar/audited-act';
import {
  auditedChange,
  auditedTest,
  type ChannelAction,
  type ChannelChange,
} from '@switchboard/contracts/messaging/channel-events';
import type { ChannelTestResult } from '@switchboard/contracts/messaging/http';
import { AUDIT_TRAIL, type AuditTrail, type SessionAct } from '../../identity/audit.contract.js';

/**
 * Writes acts on channels into the audit log before they are answered. Messaging commits the act with an event of it, which writes
 * what ends before the log is written here.
 */
@Injectable()
export class AuditedChannels {
  constructor(@Inject(AUDIT_TRAIL) private readonly auditTrail: AuditTrail) {}

  /** A change of nothing is not written. @param by as messaging was given it */
  async changed(
    act: SessionAct,
    by: UserActor | undefined,
    action: ChannelAction,
    change: ChannelChange,
  ): Promise<void> {
    const states = auditedChange(change);
    if (changesNothing(states)) return;
    await this.auditTrail.recordAct(gatewayChannelActsConsumer, by, { ...act, action, ...states });
  }

  /** A test that may have disconnected the channel. */
  tested(act: SessionAct, by: UserActor | undefined, id: string, result: ChannelTestResult): Promise<void> {
    const entry = { ...act, action: 'channel.tested', ...auditedTest(id, result) } as const;
    return this.auditTrail.recordAct(gatewayChannelActsConsumer, by, entry);
  }
}
