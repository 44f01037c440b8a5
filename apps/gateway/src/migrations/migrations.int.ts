import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { describeMigrations, testServers } from '@switchboard/testing';
import { gatewayMigrations } from './all.js';

const servers = testServers();
const schemaFile = join(import.meta.dirname, '..', '..', 'schema.sql');

describeMigrations({ service: 'gateway', migrations: gatewayMigrations, schemaFile, servers });

it('the plans are those of the price list', async () => {
  const prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
  const { dataSource } = await prepared.superuser();
  expect(await dataSource.query('SELECT * FROM gateway.plan ORDER BY requests_per_minute')).toEqual([
    plan('TRIAL', 60, 60, '1000', ['templates:send', 'analytics:read'], 1, 2),
    plan('STARTER', 300, 300, '10000', ['templates:send'], 2, 5),
    plan('GROWTH', 6_000, 1_000, '500000', [], 10, 25),
    plan('SCALE', 120_000, 5_000, '50000000', [], 100, 500),
  ]);
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
