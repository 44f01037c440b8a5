import { Inject, Injectable } from '@nestjs/common';
import type { EventDataOf } from '@switchboard/contracts/grammar/define-event';
import { channelChanged } from '@switchboard/contracts/messaging/events';
import { templatesChannelsConsumer } from '@switchboard/contracts/consumers';
import type { Transaction } from '@switchboard/postgres';
import { PLATFORM, ProjectionConsumer, type Platform, type ProjectedEvent } from '@switchboard/platform';
import { requestSync } from '../account/account.repository.js';
import { SyncSignal } from '../account/sync-signal.js';
import { projectChannels } from '../channel/channel.repository.js';

type ChannelChanged = EventDataOf<typeof channelChanged>;

/** Keeps the projection of channels, and has the account of a channel synchronised when it is connected. */
@Injectable()
export class ProjectChannelsConsumer extends ProjectionConsumer<ChannelChanged> {
  constructor(@Inject(PLATFORM) platform: Platform, signal: SyncSignal) {
    const consumer = templatesChannelsConsumer;
    super(platform, channelChanged, { consumer, batchMax: 200, onBatch: () => signal.wake() });
  }

  protected async project(tx: Transaction, events: readonly ProjectedEvent<ChannelChanged>[]): Promise<void> {
    const channels = events.map(({ eventId: sourceEventId, organizationId, data: { channel } }) => {
      const { id, phone, status, isDefault, defaultRegion, businessAccountId = null } = channel;
      return { organizationId, id, phone, status, isDefault, defaultRegion, businessAccountId, sourceEventId };
    });
    await requestSync(tx, await projectChannels(tx, channels));
  }
}
