import { Inject, Injectable } from '@nestjs/common';
import type { EventDataOf } from '@switchboard/contracts/grammar/define-event';
import { channelChanged } from '@switchboard/contracts/messaging/events';
import { contactsChannelsConsumer } from '@switchboard/contracts/consumers';
import type { Transaction } from '@switchboard/postgres';
import { PLATFORM, ProjectionConsumer, type Platform, type ProjectedEvent } from '@switchboard/platform';
import { ChannelRepository } from '../channel/channel.repository.js';

type ChannelChanged = EventDataOf<typeof channelChanged>;

/** Keeps the contacts service's projection of channels up to date. */
@Injectable()
export class ProjectChannelsConsumer extends ProjectionConsumer<ChannelChanged> {
  constructor(
    @Inject(PLATFORM) platform: Platform,
    private readonly channels: ChannelRepository,
  ) {
    super(platform, channelChanged, { consumer: contactsChannelsConsumer, batchMax: 200 });
  }

  protected async project(tx: Transaction, events: readonly ProjectedEvent<ChannelChanged>[]): Promise<void> {
    const channels = events.map(({ eventId: sourceEventId, organizationId, data: { channel } }) => {
      const { id, isDefault, defaultRegion } = channel;
      return { organizationId, id, isDefault, defaultRegion, sourceEventId };
    });
    await this.channels.project(channels, tx);
  }
}
