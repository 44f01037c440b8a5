import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runBuiltProgram, testServers, untilReady } from '@switchboard/testing';
import { webhooksMigrations } from './migrations/all.js';

const servers = testServers();
const dist = join(import.meta.dirname, '..', 'dist');

describe('the built programs of webhooks', () => {
  it('migrate, become ready, and end with 0 after SIGTERM', async () => {
    const prepared = await servers.serviceDatabase('webhooks', []);
    const nats = await servers.nats();
    const migration = runBuiltProgram(servers, join(dist, 'migrate.js'), {
      MIGRATOR_DATABASE_URL: prepared.migratorUrl,
      SERVICE_DATABASE_ROLE: prepared.role,
    });
    expect(await migration.logged('migrations.applied')).toMatchObject({ count: webhooksMigrations.length });

    const access = { NATS_URL: nats.url, NATS_USER: 'webhooks', NATS_PASSWORD: nats.password };
    const keys = { CREDENTIALS_KEY: Buffer.alloc(32).toString('base64') };
    const service = runBuiltProgram(servers, join(dist, 'main.js'), { DATABASE_URL: prepared.url, ...access, ...keys });
    const { url } = await service.logged('service.ready');
    await untilReady(url);
    expect(await service.stop()).toBe(0);
  });
});
