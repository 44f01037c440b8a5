import { Injectable } from '@nestjs/common';
import { Database, statement, type Transaction } from '@switchboard/postgres';
import { In } from 'typeorm';
import { Channel } from './channel.entity.js';

/** Of the token that was refused alone: a channel may have been connected again, with another, since it was used. */
const disconnect = statement(
  'messaging.channel.disconnect',
  `UPDATE channel SET status = 'DISCONNECTED'
   FROM unnest($1::text[], $2::text[], $3::bytea[]) AS refused(organization_id, id, access_token_sealed)
   WHERE channel.organization_id = refused.organization_id AND channel.id = refused.id
     AND channel.access_token_sealed = refused.access_token_sealed AND channel.status = 'CONNECTED'`,
);

/** A token that the upstream refused, as the channel held it when it was used. */
export interface RefusedToken {
  readonly organizationId: string;
  readonly channelId: string;
  readonly accessTokenSealed: Buffer;
}

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

/**
 * Marks channels as disconnected whose token or permission the upstream refused, unless they hold another token by now.
 * Travels with COMMIT.
 */
export function disconnectChannels(tx: Transaction, refused: readonly RefusedToken[]): void {
  if (refused.length === 0) return;
  const sorted = [...refused].sort((a, b) => (a.channelId < b.channelId ? -1 : 1));
  tx.atCommit(disconnect, [
    sorted.map(({ organizationId }) => organizationId),
    sorted.map(({ channelId }) => channelId),
    sorted.map(({ accessTokenSealed }) => accessTokenSealed),
  ]);
}
