import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { statement, type Transaction } from '@switchboard/postgres';
import { announceChannels } from './announce-channels.js';
import type { Channel } from './channel.entity.js';

/** One change of an organization's channels at a time: how many there are and which is the default concerns all of them. */
const serialize = statement(
  'messaging.channel.serialize',
  `SELECT pg_advisory_xact_lock(hashtextextended('messaging.channels ' || $1::text, 0))`,
);
const lock = statement<Channel>(
  'messaging.channel.lock',
  `SELECT organization_id AS "organizationId", id, name, phone, provider, business_account_id AS "businessAccountId",
     default_region AS "defaultRegion", phone_number_id AS "phoneNumberId", is_default AS "isDefault", status,
     opt_out_keywords AS "optOutKeywords"
   FROM channel WHERE organization_id = $1 ORDER BY id FOR UPDATE`,
);
const insert = statement(
  'messaging.channel.insert',
  `INSERT INTO channel (organization_id, id, name, phone, provider, business_account_id, phone_number_id,
     access_token_sealed, default_region, is_default, opt_out_keywords, status, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now())`,
);
const update = statement(
  'messaging.channel.update',
  `UPDATE channel SET status = $3, is_default = $4, default_region = $5, opt_out_keywords = $6,
     access_token_sealed = coalesce($7::bytea, access_token_sealed)
   WHERE organization_id = $1 AND id = $2`,
);

/** A channel as it is to be. */
export interface ChannelChange {
  readonly channel: Channel;
  /** Null: as it is. */
  readonly accessTokenSealed: Buffer | null;
}

/** The organization's channels, which no other change touches before the transaction ends. */
export async function lockChannels(tx: Transaction, organizationId: string): Promise<Channel[]> {
  await tx.query(serialize, [organizationId]);
  return tx.query(lock, [organizationId]);
}

/**
 * Makes sure that the plan has room for one more connected channel.
 *
 * @throws PAYMENT_REQUIRED
 */
export function requireRoom(channels: readonly Channel[], channelsMax: number): void {
  if (channels.filter(({ status }) => status === 'CONNECTED').length < channelsMax) return;
  const included =
    channelsMax === 1 ? '1 connected channel, which is' : `${channelsMax} connected channels, and all of them are`;
  const message = `The plan includes ${included} in use`;
  throw new AppError(serviceErrors.PAYMENT_REQUIRED, message);
}

/** The other channels that stop being the default one because this one begins. */
export function displaced(channels: readonly Channel[], { id, isDefault }: Channel): ChannelChange[] {
  const former = channels.filter((one) => isDefault && one.isDefault && one.id !== id);
  return former.map((channel) => ({ channel: { ...channel, isDefault: false }, accessTokenSealed: null }));
}

/** Stores a new channel with its event. Travels with COMMIT. */
export async function insertChannel(tx: Transaction, channel: Channel, accessTokenSealed: Buffer): Promise<void> {
  const { organizationId, id, name, phone, provider, businessAccountId, phoneNumberId } = channel;
  const line = [organizationId, id, name, phone, provider, businessAccountId, phoneNumberId, accessTokenSealed];
  const { defaultRegion, isDefault, optOutKeywords, status } = channel;
  tx.atCommit(insert, [...line, defaultRegion, isDefault, optOutKeywords, status]);
  await announceChannels(tx, [channel]);
}

/** Stores changes, each with its event; the order matters where the default moves. Travels with COMMIT. */
export async function updateChannels(tx: Transaction, changes: readonly ChannelChange[]): Promise<void> {
  for (const { channel, accessTokenSealed } of changes) {
    const { organizationId, id, status, isDefault, defaultRegion, optOutKeywords } = channel;
    tx.atCommit(update, [organizationId, id, status, isDefault, defaultRegion, optOutKeywords, accessTokenSealed]);
  }
  await announceChannels(
    tx,
    changes.map(({ channel }) => channel),
  );
}
