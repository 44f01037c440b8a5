import { Inject, Injectable } from '@nestjs/common';
import type { ManagedChannelView } from '@switchboard/contracts/messaging/http';
import { AUDIT_TRAIL, type AuditAction, type AuditTrail, type SessionAct } from '../../identity/audit.contract.js';

type ChannelAction = Extract<AuditAction, `channel.${string}`>;

/** Writes acts on channels into the audit log, once messaging has done them and before they are answered. */
@Injectable()
export class AuditedChannels {
  constructor(@Inject(AUDIT_TRAIL) private readonly auditTrail: AuditTrail) {}

  /** @param hasNewToken a token itself is never written */
  changed(
    act: SessionAct,
    action: ChannelAction,
    { before, after }: { readonly before: ManagedChannelView | null; readonly after: ManagedChannelView },
    hasNewToken: boolean,
  ): Promise<void> {
    const state = { ...stateOf(after), ...(hasNewToken && { accessToken: 'new' }) };
    return this.auditTrail.record({ ...act, action, before: before && stateOf(before), after: state });
  }

  /** A test that may have disconnected the channel. */
  tested(act: SessionAct, details: Readonly<Record<string, unknown>>): Promise<void> {
    return this.auditTrail.record({ ...act, action: 'channel.tested', before: null, after: details });
  }
}

function stateOf(channel: ManagedChannelView): Readonly<Record<string, unknown>> {
  const { id, phone, phoneNumberId, businessAccountId, isDefault, defaultRegion, optOutKeywords, status } = channel;
  return { id, phone, phoneNumberId, businessAccountId, isDefault, defaultRegion, optOutKeywords, status };
}
