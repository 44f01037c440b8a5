import type { ActFacts, UserActor } from '../grammar/audited-act.js';
import { defineEvent } from '../grammar/define-event.js';
import type { ChannelTestResult, ManagedChannelView } from './http.js';

/** The acts on channels that the audit log holds; each is an action of it under the same name. */
export type ChannelAction = 'channel.connected' | 'channel.changed' | 'channel.tested' | 'channel.disconnected';

/** What a person decided about a channel, and what it is of; never its access token. */
export type AuditedChannel = Pick<
  ManagedChannelView,
  'id' | 'phone' | 'phoneNumberId' | 'businessAccountId' | 'isDefault' | 'defaultRegion' | 'optOutKeywords' | 'status'
>;

/**
 * A person acted on a channel; committed with what the act did, so that the audit log gets it whatever fails behind it.
 *
 * @aggregate channel
 */
export const channelActed = defineEvent<ActFacts<ChannelAction, UserActor>>('messaging', 'channel.acted', 1);

/** A channel as the audit log shows it. */
function auditedChannel(channel: AuditedChannel): AuditedChannel {
  const { id, phone, phoneNumberId, businessAccountId, isDefault, defaultRegion, optOutKeywords, status } = channel;
  return { id, phone, phoneNumberId, businessAccountId, isDefault, defaultRegion, optOutKeywords, status };
}

/** A channel around an act. */
export interface ChannelChange {
  readonly before: AuditedChannel | null;
  readonly after: AuditedChannel;
  /** A token itself is never written. */
  readonly hasNewToken: boolean;
}

/** A change of a channel, as the audit log shows it. */
export function auditedChange({
  before,
  after,
  hasNewToken,
}: ChannelChange): Pick<ActFacts<ChannelAction>, 'before' | 'after'> {
  const state = { ...auditedChannel(after), ...(hasNewToken && { accessToken: 'new' }) };
  return { before: before && auditedChannel(before), after: state };
}

/** What a test found, as the audit log shows it: it changed no field of the channel. */
export function auditedTest(
  id: string,
  { connected, error }: ChannelTestResult,
): Pick<ActFacts<ChannelAction>, 'before' | 'after'> {
  return { before: null, after: { id, connected, code: error?.code ?? null } };
}
