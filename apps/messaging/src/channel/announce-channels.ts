import { channelChanged } from '@switchboard/contracts/messaging/events';
import type { ChannelFacts } from '@switchboard/contracts/messaging/http';
import { appendEvents, eventMoment } from '@switchboard/outbox';
import type { Transaction } from '@switchboard/postgres';
import { channelFacts } from './channel-view.js';
import type { Channel } from './channel.entity.js';

/** Emits an event for each channel as it is from now on, in the transaction that has their rows locked. */
export async function announceChannels(
  tx: Transaction,
  channels: readonly Pick<Channel, keyof ChannelFacts | 'organizationId'>[],
): Promise<void> {
  if (channels.length === 0) return;
  const { newId, occurredAt } = await eventMoment(tx);
  appendEvents(
    tx,
    channels.map((channel) => ({
      id: newId(),
      event: channelChanged,
      organizationId: channel.organizationId,
      aggregateId: channel.id,
      sequence: null,
      occurredAt,
      data: { channel: channelFacts(channel) },
    })),
  );
}
