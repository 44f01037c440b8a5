import { join } from 'node:path';
import { seedOrganizations, type RunSql } from '@switchboard/gateway/seed';
import { gatewayMigrations } from '@switchboard/gateway/migrations';
import { seedChannels } from '@switchboard/messaging/seed';
import { messagingMigrations } from '@switchboard/messaging/migrations';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { startFloorProcess, type Floor } from '../floor-process.js';
import { makeDatabase } from '../own-database.js';
import { withClient } from '../with-client.js';

/** The line that the floor sends from, and whose key it takes. */
export interface FloorTenant {
  readonly organizationId: string;
  readonly apiKey: string;
  readonly accessToken: string;
  readonly phoneNumberId: string;
}

/**
 * Starts the floor on a database of its own, on the same server, with the schema that the services have.
 *
 * @param superuserUrl of the stack's database
 * @param recipients E.164; its contacts are known beforehand, as ours are after their first message
 */
export async function startFloor(
  superuserUrl: string,
  upstreamUrl: string,
  tenant: FloorTenant,
  recipients: readonly string[],
): Promise<Floor> {
  const schemas = { gateway: gatewayMigrations, messaging: messagingMigrations };
  const url = await makeDatabase(superuserUrl, 'floor', schemas);
  await fill(url, tenant, recipients);
  return startFloorProcess(join(import.meta.dirname, 'floor-main.js'), {
    FLOOR_DATABASE_URL: url,
    FLOOR_UPSTREAM_URL: upstreamUrl,
    FLOOR_ACCESS_TOKEN: tenant.accessToken,
  });
}

async function fill(url: string, tenant: FloorTenant, recipients: readonly string[]): Promise<void> {
  const { organizationId, apiKey, accessToken, phoneNumberId } = tenant;
  await withClient(url, async (client) => {
    const seed = { id: organizationId, name: 'Floor', plan: 'SCALE', keyId: newCuid(), apiKey, users: [] } as const;
    const sql: RunSql = (text, values) => client.query(text, [...values]);
    await seedOrganizations(sql, [seed]);
    const line = { organizationId, id: newCuid(), name: 'floor', phone: '+12015550199', phoneNumberId, accessToken };
    const channel = { ...line, businessAccountId: '1', defaultRegion: 'US', isDefault: true };
    await seedChannels(sql, [channel], Buffer.alloc(32));
    const ids = recipients.map(() => newCuid());
    await client.query(
      `INSERT INTO messaging.contact (organization_id, id, phone, messaging_id, version)
       SELECT $1, id, phone, substr(phone, 2), 1 FROM unnest($2::text[], $3::text[]) AS c(id, phone)`,
      [organizationId, ids, recipients],
    );
    await client.query(
      `INSERT INTO messaging.contact_phone (organization_id, phone, contact_id)
       SELECT $1, phone, id FROM unnest($2::text[], $3::text[]) AS c(id, phone)`,
      [organizationId, ids, recipients],
    );
  });
}
