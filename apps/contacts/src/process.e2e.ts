import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { resolveContactsRpc } from '@switchboard/contracts/contacts/rpc';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { RpcClient } from '@switchboard/nats';
import { runBuiltProgram, testServers, untilReady } from '@switchboard/testing';
import { patientBudget } from '@switchboard/testing/patient-budget';
import { contactsMigrations } from './migrations/all.js';

const servers = testServers();
const dist = join(import.meta.dirname, '..', 'dist');

describe('the built programs of contacts', () => {
  it('migrate, become ready, answer, and stop cleanly within 8 s of SIGTERM', async () => {
    const prepared = await servers.serviceDatabase('contacts', []);
    const nats = await servers.nats();
    const migration = runBuiltProgram(servers, join(dist, 'migrate.js'), {
      MIGRATOR_DATABASE_URL: prepared.migratorUrl,
      SERVICE_DATABASE_ROLE: prepared.role,
    });
    expect(await migration.logged('migrations.applied')).toMatchObject({ count: contactsMigrations.length });

    const credentials = { CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64') };
    const access = { NATS_URL: nats.url, NATS_USER: 'contacts', NATS_PASSWORD: nats.password, ...credentials };
    const service = runBuiltProgram(servers, join(dist, 'main.js'), { DATABASE_URL: prepared.url, ...access });
    const { url } = await service.logged('service.ready');
    await untilReady(url);
    const client = new RpcClient(await nats.connect('messaging'));
    const sightings = [{ phone: '+12015550123', profileName: null, messagingId: null }];
    const asked = client.call(resolveContactsRpc, systemPrincipal('corg', 'test'), { sightings });
    expect((await asked).contacts).toHaveLength(1);

    const startedMs = performance.now();
    // A process that needs longer ends itself by force, and not with 0.
    expect(await service.stop()).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    const late = client.call(
      resolveContactsRpc,
      systemPrincipal('corg', 'test'),
      { sightings },
      { budget: patientBudget(100) },
    );
    await expect(late).rejects.toMatchObject({ effect: 'none' });
  });

  it('name every missing key at once and end with 1', async () => {
    const service = spawn(process.execPath, [join(dist, 'main.js')], { env: { NATS_URL: 'nats://127.0.0.1:1' } });
    let said = '';
    service.stdout.on('data', (chunk) => (said += String(chunk)));
    const [code] = await once(service, 'close');
    expect(code).toBe(1);
    for (const key of ['DATABASE_URL', 'NATS_USER', 'NATS_PASSWORD', 'CREDENTIALS_KEY'])
      expect(said).toContain(`${key} is required`);
  });
});
