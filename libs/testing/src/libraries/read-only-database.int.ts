import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { canServe, createLog, openPlatform, readiness, type Platform } from '@switchboard/platform';
import { statement } from '@switchboard/postgres';
import { eventually, testServers, type ServiceDatabase } from '../index.js';
import { Outbox1764000000000 } from './outbox-fixture.js';
import { platformConfig } from './platform-config.js';

const servers = testServers();
const NAME = 'contacts';
const READ_ONLY = { ok: false, checks: { database: 'takes no writes' } };

describe('a database that answers and takes no writes', () => {
  let prepared: ServiceDatabase;
  let platform: Platform;

  beforeEach(async () => {
    prepared = await servers.serviceDatabase(NAME, [Outbox1764000000000]);
    const nats = await servers.nats();
    platform = await openPlatform({
      service: NAME,
      log: { ...createLog('test'), warn: () => undefined, error: () => undefined },
      config: platformConfig(prepared, nats),
    });
  });

  afterEach(() => platform.close());

  it('leaves a service neither ready nor fit to serve, and it is both as soon as writes are taken again', async () => {
    const { dataSource } = await prepared.superuser();
    await dataSource.query(`ALTER ROLE ${prepared.role} SET default_transaction_read_only = on`);
    await dataSource.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${prepared.role}'`);
    await eventually(async () => (await canServe(platform.checks)).checks['database'] === 'takes no writes');
    expect(await canServe(platform.checks)).toEqual(READ_ONLY);
    expect(await readiness(platform.checks)).toMatchObject(READ_ONLY);
    await dataSource.query(`ALTER ROLE ${prepared.role} RESET default_transaction_read_only`);
    expect(await canServe(platform.checks)).toEqual({ ok: true, checks: { database: 'ok' } });
  });

  it('is not taken for one by a session of the pool that alone takes none, and the session is closed', async () => {
    const database = await prepared.database({ poolMax: 1 });
    await database.query(statement('t.read-only', 'SET default_transaction_read_only = on'), []);
    expect(await database.answers()).toBe(true);
    const shown = statement<{ value: string }>('t.shown', `SELECT current_setting('transaction_read_only') AS value`);
    expect(await database.query(shown, [])).toEqual([{ value: 'off' }]);
  });
});
