import { channelChanged } from '@switchboard/contracts/messaging/events';
import { appendEvents, OUTBOX_RETENTION_DAYS } from '@switchboard/outbox';
import type { Transaction } from '@switchboard/postgres';
import { SecretBox } from '@switchboard/secrets';
import { accessTokenPlace } from './channel/access-token.js';

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
  /** Words that opt out on it in addition to the common ones; none by default. */
  readonly optOutKeywords?: readonly string[];
}

/**
 * Makes channels that do not exist yet; those that exist are connected again with the token given. Each is given, in the
 * same transaction, as any change of a channel is.
 */
export async function seedChannels(
  run: RunSql,
  channels: readonly ChannelSeed[],
  credentialsKey: Buffer,
): Promise<void> {
  // No service has run yet: where the last one ended more than a week ago, there is no day to write the events to.
  await run('SELECT messaging.keep_outbox_partitions($1)', [OUTBOX_RETENTION_DAYS]);
  for (const channel of channels) {
    await run('BEGIN', []);
    try {
      // Statements name their tables without the schema, as on the service's own connections.
      await run('SET LOCAL search_path TO messaging', []);
      await seedChannel(run, channel, credentialsKey);
      await run('COMMIT', []);
    } catch (error) {
      await run('ROLLBACK', []);
      throw error;
    }
  }
}

async function seedChannel(run: RunSql, channel: ChannelSeed, credentialsKey: Buffer): Promise<void> {
  const { organizationId, id, name, phone, defaultRegion, isDefault, businessAccountId } = channel;
  const box = new SecretBox({ current: credentialsKey, previous: null });
  // Not read back: a sealed value carries its data key, whichever of two seeds stored the organization's first.
  const dataKey = box.newDataKey(organizationId);
  await run('INSERT INTO data_key (organization_id, wrapped) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    organizationId,
    dataKey,
  ]);
  const place = accessTokenPlace({ organizationId, channelId: id });
  const accessTokenSealed = box.seal(channel.accessToken, place, dataKey);
  await run(
    `INSERT INTO channel (organization_id, id, name, phone, provider, business_account_id,
       phone_number_id, access_token_sealed, default_region, is_default, opt_out_keywords, status, created_at)
     VALUES ($1, $2, $3, $4, 'cloud', $5, $6, $7, $8, $9, $10, 'CONNECTED', now())
     ON CONFLICT (organization_id, id) DO UPDATE SET
       access_token_sealed = excluded.access_token_sealed, status = 'CONNECTED'`,
    [
      organizationId,
      id,
      name,
      phone,
      businessAccountId,
      channel.phoneNumberId,
      accessTokenSealed,
      defaultRegion,
      isDefault,
      channel.optOutKeywords ?? [],
    ],
  );
  const appended: Promise<unknown>[] = [];
  const tx: Transaction = {
    query: () => Promise.reject(new Error('the seed appends only')),
    atCommit: (statement, values) => void appended.push(run(statement.text, values)),
  };
  appendEvents(tx, [
    {
      event: channelChanged,
      organizationId,
      aggregateId: id,
      sequence: null,
      occurredAt: new Date(),
      data: { channel: { id, name, phone, status: 'CONNECTED', isDefault, defaultRegion, businessAccountId } },
    },
  ]);
  await Promise.all(appended);
}
