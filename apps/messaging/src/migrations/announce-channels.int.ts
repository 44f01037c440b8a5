import { describe, expect, it } from '@jest/globals';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { migrate } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { AnnounceChannels1766500000000 } from './1766500000000-announce-channels.js';
import { messagingMigrations } from './all.js';

const servers = testServers();

describe('the migration that announces channels', () => {
  it('emits an event for each channel that was connected before, with its business account', async () => {
    const before = messagingMigrations.filter((one) => one !== AnnounceChannels1766500000000);
    const prepared = await servers.serviceDatabase('messaging', before);
    const { dataSource } = await prepared.superuser();
    await dataSource.query(
      `INSERT INTO messaging.channel (organization_id, id, name, phone, provider, business_account_id, phone_number_id,
         access_token_sealed, default_region, is_default, status, created_at)
       SELECT 'corganization' || n, 'cchannel' || n, 'Support', '+1201555018' || n, 'cloud', 'waba' || n, n::text, '\\x00', 'US',
         true, 'CONNECTED', now() FROM generate_series(1, 2) AS n`,
    );
    const { migratorUrl: url, role: serviceRole } = prepared;
    await migrate({ url, schema: 'messaging', migrations: messagingMigrations, serviceRole });
    const rows = await dataSource.query<{ payload: string }[]>(
      'SELECT payload FROM messaging.outbox ORDER BY position',
    );
    expect(rows.map(({ payload }) => JSON.parse(payload) as EventEnvelope)).toMatchObject([
      { organizationId: 'corganization1', aggregateId: 'cchannel1', data: { channel: { businessAccountId: 'waba1' } } },
      { organizationId: 'corganization2', aggregateId: 'cchannel2', data: { channel: { businessAccountId: 'waba2' } } },
    ]);
  });
});
