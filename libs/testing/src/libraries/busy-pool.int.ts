import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { canServe, createLog, openPlatform, type Platform } from '@switchboard/platform';
import { statement, type Database } from '@switchboard/postgres';
import { eventually, testServers, type ServiceDatabase } from '../index.js';
import { proxyTo } from './database-proxy.js';
import { Outbox1764000000000 } from './outbox-fixture.js';
import { platformConfig } from './platform-config.js';

const servers = testServers();
const POOL_MAX = 3;
const NAME = 'contacts';
const connectionsSql = statement<{ count: number }>(
  't.connections',
  `SELECT count(*)::int AS count FROM pg_stat_activity WHERE usename = $1 AND datname = current_database()`,
);

describe('a process all of whose connections are in use', () => {
  let prepared: ServiceDatabase;
  let platform: Platform;
  let isAway = false;
  let isStill = false;
  let holding: AbortController;

  beforeEach(async () => {
    prepared = await servers.serviceDatabase(NAME, [Outbox1764000000000]);
    const nats = await servers.nats();
    const ask = (chunk: Buffer): Buffer | null => {
      if (isAway) return null;
      return isStill && chunk.includes('transaction_read_only') ? Buffer.alloc(0) : chunk;
    };
    const proxy = await proxyTo(servers, prepared.url, { ask });
    platform = await openPlatform({
      service: NAME,
      log: { ...createLog('test'), warn: () => undefined, error: () => undefined },
      config: platformConfig(prepared, nats, { DATABASE_POOL_MAX: POOL_MAX, DATABASE_URL: proxy.url }),
    });
    holding = new AbortController();
    for (let count = 0; count < POOL_MAX; count++) void hold(platform.database, holding.signal);
    const superuser = await prepared.superuser();
    await eventually(async () => (await connections(superuser)) === POOL_MAX);
  });

  afterEach(async () => {
    holding.abort();
    isAway = isStill = false;
    await platform.close();
  });

  it('can serve: it is busy, and its database answers', async () => {
    expect(await canServe(platform.checks)).toEqual({ ok: true, checks: { database: 'ok' } });
  });

  it('asks by one connection more, however many ask at once', async () => {
    const superuser = await prepared.superuser();
    const answers = Promise.all(Array.from({ length: 20 }, () => platform.database.answers()));
    const over = answers.then(() => true);
    let most = 0;
    do most = Math.max(most, await connections(superuser));
    while (!(await Promise.race([over, false])));
    expect(most).toBeLessThanOrEqual(POOL_MAX + 1);
  });

  it('cannot serve while its database is away', async () => {
    isAway = true;
    expect(await canServe(platform.checks)).toMatchObject({ ok: false });
  });

  it('cannot serve while its database stands still, can as soon as that goes on, and leaves no connection', async () => {
    const superuser = await prepared.superuser();
    isStill = true;
    expect(await canServe(platform.checks)).toMatchObject({ ok: false });
    isStill = false;
    expect(await canServe(platform.checks)).toMatchObject({ ok: true });
    await eventually(async () => (await connections(superuser)) === POOL_MAX);
  });

  async function connections(superuser: Database): Promise<number> {
    const [row] = await superuser.query(connectionsSql, [prepared.role]);
    return row?.count ?? 0;
  }
});

/** Takes a connection, as soon as there is one, until the test ends. */
async function hold(database: Database, signal: AbortSignal): Promise<void> {
  const client = await database.connect().catch(() => null);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  client?.release(true);
}
