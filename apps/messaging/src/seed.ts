import { sealAccessToken } from './channel/access-token.js';

/** Runs one statement as a role that may write every schema; the seed has its own connection. */
export type RunSql = (sql: string, values: readonly unknown[]) => Promise<unknown>;

/** A channel to be made. */
export interface ChannelSeed {
  readonly organizationId: string;
  readonly id: string;
  readonly name: string;
  /** E.164. */
  readonly phone: string;
  readonly businessAccountId: string;
  readonly phoneNumberId: string;
  readonly accessToken: string;
  readonly defaultRegion: string;
  readonly isDefault: boolean;
}

/** Makes channels that do not exist yet; those that exist are connected again with the token given. */
export async function seedChannels(
  run: RunSql,
  channels: readonly ChannelSeed[],
  credentialsKey: Buffer,
): Promise<void> {
  for (const channel of channels) {
    await run(
      `INSERT INTO messaging.channel (organization_id, id, name, phone, provider, business_account_id,
         phone_number_id, access_token_sealed, default_region, is_default, status, created_at)
       VALUES ($1, $2, $3, $4, 'cloud', $5, $6, $7, $8, $9, 'CONNECTED', now())
       ON CONFLICT (organization_id, id) DO UPDATE SET
         access_token_sealed = excluded.access_token_sealed, status = 'CONNECTED'`,
      [
        channel.organizationId,
        channel.id,
        channel.name,
        channel.phone,
        channel.businessAccountId,
        channel.phoneNumberId,
        sealAccessToken(channel.accessToken, credentialsKey),
        channel.defaultRegion,
        channel.isDefault,
      ],
    );
  }
}
