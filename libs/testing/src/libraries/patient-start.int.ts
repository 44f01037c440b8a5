import { beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, openPlatform, type Platform } from '@switchboard/platform';
import { testServers, type ServiceDatabase, type TestNats } from '../index.js';
import { proxyTo } from './database-proxy.js';
import { Outbox1764000000000 } from './outbox-fixture.js';
import { platformConfig } from './platform-config.js';

const servers = testServers();

describe('a process that starts', () => {
  let prepared: ServiceDatabase;
  let nats: TestNats;
  const logged: string[] = [];

  beforeAll(async () => {
    prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
    nats = await servers.nats();
  });

  async function open(config: { DATABASE_URL?: string; NATS_URL?: string; NATS_PASSWORD?: string }): Promise<Platform> {
    const log = { ...createLog('test'), warn: (event: string) => void logged.push(event) };
    logged.length = 0;
    return openPlatform({ service: 'contacts', log, config: platformConfig(prepared, nats, config) });
  }

  /** Cuts connections until this is logged. */
  const awayUntil = async (url: string, event: string): Promise<string> => {
    const ask = (chunk: Buffer): Buffer | null => (logged.includes(event) ? chunk : null);
    return (await proxyTo(servers, url, { ask })).url;
  };

  it('waits for a database and a broker that are away, and says for which', async () => {
    const platform = await open({
      DATABASE_URL: await awayUntil(prepared.url, 'database.awaited'),
      NATS_URL: await awayUntil(nats.url, 'nats.awaited'),
    });
    expect(logged).toEqual(['database.awaited', 'nats.awaited']);
    expect(await platform.checks['database']?.()).toBeNull();
    expect(await platform.checks['nats']?.()).toBeNull();
    await platform.close();
  });

  it('waits for none that refuses it', async () => {
    const wrong = new URL(prepared.url);
    wrong.password = 'wrong';
    await expect(open({ DATABASE_URL: wrong.href })).rejects.toThrow('password authentication failed');
    await expect(open({ NATS_PASSWORD: 'wrong' })).rejects.toThrow(/authorization/i);
    expect(logged).toEqual([]);
  });
});
