import { Injectable } from '@nestjs/common';
import type { ChannelFacts } from '@switchboard/contracts/messaging/http';
import { Database, statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import { LessThan } from 'typeorm';
import { announceChannels } from './announce-channels.js';
import { Channel } from './channel.entity.js';

/** Of the token that was refused alone: a channel may have been connected again, with another, since it was used. */
const disconnect = statement<Pick<Channel, keyof ChannelFacts | 'organizationId'>>(
  'messaging.channel.disconnect',
  `UPDATE channel SET status = 'DISCONNECTED'
   FROM unnest($1::text[], $2::text[], $3::bytea[]) AS refused(organization_id, id, access_token_sealed)
   WHERE channel.organization_id = refused.organization_id AND channel.id = refused.id
     AND channel.access_token_sealed = refused.access_token_sealed AND channel.status = 'CONNECTED'
   RETURNING channel.organization_id AS "organizationId", channel.id, channel.name, channel.phone, channel.status,
     channel.is_default AS "isDefault", channel.default_region AS "defaultRegion",
     channel.business_account_id AS "businessAccountId"`,
);
const ofAccount = statement<SealedChannel>(
  'messaging.channel.of-account',
  `SELECT id, status, access_token_sealed AS "accessTokenSealed" FROM channel
   WHERE organization_id = $1 AND business_account_id = $2 ORDER BY is_default DESC, id`,
);
const tokenOf = statement<Pick<SealedChannel, 'accessTokenSealed'>>(
  'messaging.channel.token',
  `SELECT access_token_sealed AS "accessTokenSealed" FROM channel WHERE organization_id = $1 AND id = $2`,
);
/** Asked with every batch of callbacks: prepared, which a query of the repository is not. */
const CHANNEL_COLUMNS = `organization_id AS "organizationId", id, name, phone, provider, business_account_id AS "businessAccountId",
  default_region AS "defaultRegion", phone_number_id AS "phoneNumberId", is_default AS "isDefault", status,
  opt_out_keywords AS "optOutKeywords"`;
const byPhoneNumberId = statement<Channel>(
  'messaging.channel.by-phone-number',
  `SELECT ${CHANNEL_COLUMNS} FROM channel WHERE phone_number_id = ANY($1::text[])`,
);
const byBusinessAccountId = statement<Channel>(
  'messaging.channel.by-business-account',
  `SELECT ${CHANNEL_COLUMNS} FROM channel WHERE business_account_id = ANY($1::text[])`,
);
/** Sorts after every id. */
const FIRST_PAGE = 'd';

/** A channel with its token. */
export interface SealedChannel {
  readonly id: string;
  readonly status: Channel['status'];
  readonly accessTokenSealed: Buffer;
}

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

  /** At most `limit` channels behind the cursor, newest first. */
  async list(organizationId: string, cursor: string | null, limit: number): Promise<Channel[]> {
    return this.database.dataSource.getRepository(Channel).find({
      where: { organizationId, id: LessThan(cursor ?? FIRST_PAGE) },
      order: { id: 'DESC' },
      take: limit,
    });
  }

  /** Channels by the upstream's ids of their lines: how a callback finds its organization. */
  async byPhoneNumberIds(phoneNumberIds: readonly string[]): Promise<ReadonlyMap<string, Channel>> {
    if (phoneNumberIds.length === 0) return new Map();
    const channels = await this.database.query(byPhoneNumberId, [[...new Set(phoneNumberIds)]]);
    return new Map(channels.map((channel) => [channel.phoneNumberId, channel]));
  }

  /** Channels by the upstream's ids of their accounts, for callbacks that concern a whole account. */
  async byBusinessAccountIds(ids: readonly string[]): Promise<ReadonlyMap<string, readonly Channel[]>> {
    if (ids.length === 0) return new Map();
    const channels = await this.database.query(byBusinessAccountId, [[...new Set(ids)]]);
    return Map.groupBy(channels, ({ businessAccountId }) => businessAccountId);
  }

  /** The channel's access token; null when there is no such channel. */
  async sealedToken(organizationId: string, channelId: string): Promise<Buffer | null> {
    const [row] = await this.database.query(tokenOf, [organizationId, channelId]);
    return row?.accessTokenSealed ?? null;
  }

  /** An account's channels with their tokens, the default one first. */
  async ofAccount(organizationId: string, businessAccountId: string): Promise<readonly SealedChannel[]> {
    return this.database.query(ofAccount, [organizationId, businessAccountId]);
  }
}

/**
 * Marks channels as disconnected whose token or permission the upstream refused, unless they hold another token by now;
 * emits an event for each.
 */
export async function disconnectChannels(tx: Transaction, refused: readonly RefusedToken[]): Promise<void> {
  if (refused.length === 0) return;
  const sorted = [...refused].sort((a, b) => (a.channelId < b.channelId ? -1 : 1));
  const gone = await tx.query(disconnect, unnestColumns(sorted, ['organizationId', 'channelId', 'accessTokenSealed']));
  await announceChannels(tx, gone);
}
