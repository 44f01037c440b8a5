import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runBuiltProgram, testServers, untilReady } from '@switchboard/testing';
import { templatesMigrations } from './migrations/all.js';

const servers = testServers();
const dist = join(import.meta.dirname, '..', 'dist');

describe('the built programs of templates', () => {
  it('migrate, become ready, and end with 0 after SIGTERM', async () => {
    const prepared = await servers.serviceDatabase('templates', []);
    const nats = await servers.nats();
    const migration = runBuiltProgram(servers, join(dist, 'migrate.js'), {
      MIGRATOR_DATABASE_URL: prepared.migratorUrl,
      SERVICE_DATABASE_ROLE: prepared.role,
    });
    expect(await migration.logged('migrations.applied')).toMatchObject({ count: templatesMigrations.length });

    const access = { NATS_URL: nats.url, NATS_USER: 'templates', NATS_PASSWORD: nats.password };
    const service = runBuiltProgram(servers, join(dist, 'main.js'), { DATABASE_URL: prepared.url, ...access });
    const { url } = await service.logged('service.ready');
    await untilReady(url);
    expect(await service.stop()).toBe(0);
  });
});
