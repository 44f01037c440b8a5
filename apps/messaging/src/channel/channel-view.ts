import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { ChannelFacts, ChannelView, ManagedChannelView } from '@switchboard/contracts/messaging/http';
import type { Channel } from './channel.entity.js';

/** The one shape of a channel in the API. Source: docs/api-behaviour.md#channels. */
export function channelView(channel: Channel): ChannelView {
  const { id, name, phone, provider, businessAccountId, isDefault, status } = channel;
  return {
    id,
    name,
    phone,
    provider,
    businessAccountId,
    isDefault,
    status,
    createdAt: cuidTime(id).toISOString(),
  };
}

/** The one shape of a channel in the application. Source: docs/api-behaviour.md#app-channels. */
export function managedChannelView(channel: Channel): ManagedChannelView {
  const { phoneNumberId, defaultRegion, optOutKeywords } = channel;
  return { ...channelView(channel), phoneNumberId, defaultRegion, optOutKeywords };
}

/** What other services know of a channel. */
export function channelFacts(channel: Pick<Channel, keyof ChannelFacts>): ChannelFacts {
  const { id, name, phone, status, isDefault, defaultRegion, businessAccountId } = channel;
  return { id, name, phone, status, isDefault, defaultRegion, businessAccountId };
}
