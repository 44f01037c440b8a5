import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { dumpSchema, migrate } from '@switchboard/postgres';
import { goldenFile, testServers } from '@switchboard/testing';
import { DataSource } from 'typeorm';
import { gatewayMigrations } from './all.js';

const servers = testServers();
const golden = join(import.meta.dirname, '..', '..', 'schema.sql');

describe('the migrations', () => {
  it('make exactly the schema that schema.sql shows', async () => {
    const prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
    const { dataSource } = await prepared.superuser();
    const dump = await dumpSchema(dataSource, 'gateway');
    expect(dump).toBe(await goldenFile(golden, dump));
    expect(await dataSource.query('SELECT * FROM gateway.plan ORDER BY requests_per_minute')).toEqual([
      plan('TRIAL', 60, 60, '1000', ['templates:send', 'analytics:read'], 1, 2),
      plan('STARTER', 300, 300, '10000', ['templates:send'], 2, 5),
      plan('GROWTH', 6_000, 1_000, '500000', [], 10, 25),
      plan('SCALE', 120_000, 5_000, '50000000', [], 100, 500),
    ]);
  });

  it('can be taken back and applied again', async () => {
    const prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
    const dataSource = new DataSource({
      type: 'postgres',
      url: prepared.migratorUrl,
      schema: 'gateway',
      migrations: [...gatewayMigrations],
      migrationsTableName: 'migration',
      installExtensions: false,
      extra: { options: '-c search_path=gateway' },
    });
    await dataSource.initialize();
    for (const _migration of gatewayMigrations) await dataSource.undoLastMigration();
    const left = await dataSource.query(
      "SELECT relname FROM pg_class WHERE relnamespace = 'gateway'::regnamespace AND relkind <> 'i' AND relname NOT LIKE 'migration%'",
    );
    await dataSource.destroy();
    expect(left).toEqual([]);
    const options = { url: prepared.migratorUrl, schema: 'gateway', migrations: gatewayMigrations };
    expect(await migrate({ ...options, serviceRole: prepared.role })).toHaveLength(gatewayMigrations.length);
  });

  it('give a chain to every organization that has none, and leave those that have one', async () => {
    const prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
    const { dataSource } = await prepared.superuser();
    const entries = (): Promise<unknown> =>
      dataSource.query(
        'SELECT organization_id, sequence, action, actor_type, after FROM gateway.audit_entry ORDER BY organization_id',
      );
    await dataSource.query(`
      INSERT INTO gateway.organization (id, name, plan, created_at)
      VALUES ('cbare000', 'Bare', 'SCALE', '2026-01-31T13:00:00.5+01'), ('ckept000', 'Kept', 'SCALE', now());
      INSERT INTO gateway.audit_entry (organization_id, action, actor_type) VALUES ('ckept000', 'plan.changed', 'system');
      DELETE FROM gateway.migration WHERE name = 'AuditBeginnings1764000008000'`);
    const options = { url: prepared.migratorUrl, schema: 'gateway', migrations: gatewayMigrations };
    await migrate({ ...options, serviceRole: prepared.role });
    expect(await entries()).toEqual([
      {
        organization_id: 'cbare000',
        sequence: '1',
        action: 'organization.created',
        actor_type: 'system',
        after: { name: 'Bare', plan: 'SCALE', createdAt: '2026-01-31T12:00:00.500Z' },
      },
      { organization_id: 'ckept000', sequence: '1', action: 'plan.changed', actor_type: 'system', after: null },
    ]);
  });
});

function plan(
  name: string,
  requests_per_minute: number,
  request_burst: number,
  messages_per_month: string,
  excluded_scopes: string[],
  channels_max: number,
  seats_max: number,
): Record<string, unknown> {
  return { name, requests_per_minute, request_burst, messages_per_month, excluded_scopes, channels_max, seats_max };
}
