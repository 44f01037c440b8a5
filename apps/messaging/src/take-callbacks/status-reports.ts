import type { CallbackItem, UpstreamStatusItem } from '@switchboard/contracts/gateway/events';
import { isCuid } from '@switchboard/contracts/grammar/cuid';
import type { StatusReport } from '../callback/take-statuses.js';
import type { Channel } from '../channel/channel.entity.js';
import { factOf } from './status-fact.policy.js';

/** A status callback with the event that brought it. */
export interface StatusCallback {
  readonly eventId: string;
  /** When it happened, by the upstream. */
  readonly at: Date;
  readonly traceparent: string | null;
  readonly channel: Channel;
  readonly callback: CallbackItem<UpstreamStatusItem>;
}

/** What a status callback reports. @returns nothing for a kind of status that we do not know */
export function reportsOf({ eventId, at, traceparent, channel, callback }: StatusCallback): StatusReport[] {
  const { id: upstreamMessageId, biz_opaque_callback_data: reference } = callback.item;
  const { organizationId, id: channelId } = channel;
  const messageId = isCuid(reference) ? reference : null;
  const fact = factOf(callback.item, at);
  return fact ? [{ eventId, organizationId, channelId, upstreamMessageId, messageId, fact, traceparent }] : [];
}
