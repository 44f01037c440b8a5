import { Injectable } from '@nestjs/common';
import { Database, statement, type Transaction } from '@switchboard/postgres';
import { In } from 'typeorm';
import { Channel } from './channel.entity.js';

const disconnect = statement(
  'messaging.channel.disconnect',
  `UPDATE channel SET status = 'DISCONNECTED'
   FROM unnest($1::text[], $2::text[]) AS gone(organization_id, id)
   WHERE channel.organization_id = gone.organization_id AND channel.id = gone.id AND channel.status = 'CONNECTED'`,
);

/** Reads of channels, and what the upstream's refusals do to them. */
@Injectable()
export class ChannelRepository {
  constructor(private readonly database: Database) {}

  /** The channel asked for, or the default one; null when there is none. */
  async find(organizationId: string, channelId: string | null): Promise<Channel | null> {
    const where = channelId === null ? { organizationId, isDefault: true } : { organizationId, id: channelId };
    return this.database.dataSource.getRepository(Channel).findOneBy(where);
  }

  /** Channels by the upstream's ids of their lines: how a callback finds its organization. */
  async byPhoneNumberIds(phoneNumberIds: readonly string[]): Promise<ReadonlyMap<string, Channel>> {
    const channels = await this.database.dataSource
      .getRepository(Channel)
      .findBy({ phoneNumberId: In([...new Set(phoneNumberIds)]) });
    return new Map(channels.map((channel) => [channel.phoneNumberId, channel]));
  }
}

/** Marks channels as disconnected: the upstream refused their token or permission. Travels with COMMIT. */
export function disconnectChannels(
  tx: Transaction,
  channels: readonly { readonly organizationId: string; readonly channelId: string }[],
): void {
  if (channels.length === 0) return;
  const sorted = [...channels].sort((a, b) => (a.channelId < b.channelId ? -1 : 1));
  tx.atCommit(disconnect, [sorted.map((c) => c.organizationId), sorted.map((c) => c.channelId)]);
}
