import { beforeAll, describe, expect, it } from '@jest/globals';
import { gatewayMigrations } from '@switchboard/gateway/migrations';
import pg from 'pg';
import { IS_COMPARED } from '@switchboard/outbox';
import { testServers, type ServiceDatabase } from '@switchboard/testing';
import { readAdminConfig } from './admin.config.js';
import { runAdmin } from './admin.js';

const servers = testServers();
let prepared: ServiceDatabase;

beforeAll(async () => {
  prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
});

async function admin(...args: string[]): Promise<{ code: number; said: string[] }> {
  const said: string[] = [];
  const print = { out: (line: string) => said.push(line), err: (line: string) => said.push(line) };
  const config = readAdminConfig('/nowhere', { DATABASE_URL: prepared.superuserUrl });
  return { code: await runAdmin(args, { config, ...print, operator: null }), said };
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: prepared.url, options: '-c search_path=gateway' });
  await client.connect();
  return client;
}

/** As a service that is gone again when it has read: while one is connected nothing is declared. */
async function briefly<Row>(text: string): Promise<Row[]> {
  const client = await connect();
  try {
    return (await client.query<Row & pg.QueryResultRow>(text)).rows;
  } finally {
    await client.end();
  }
}

const RESTORED = ['--restored-at', '2026-01-31T12:00:00Z'];
const rows = () =>
  briefly(`SELECT number, token, previous_token AS previous, consumer_epoch AS epoch,
    (extract(epoch FROM '2026-01-31T12:00:00Z' - compared_at))::int AS "secondsBefore" FROM incarnation`);
const compared = () => briefly(`SELECT ${IS_COMPARED} AS compared`);

describe('restore declare', () => {
  it('leaves a row that is older than any that the broker was shown, and by which nothing is due, with or without one before', async () => {
    // Behind the moment by as much as a running service may leave it: what was written until then is of the backup.
    const older = { number: 0, token: expect.stringMatching(/^declared-/), previous: null, secondsBefore: 15 };
    expect(await admin('restore', 'declare', '--all', ...RESTORED)).toMatchObject({ code: 0 });
    expect(await rows()).toEqual([{ ...older, epoch: 0 }]);
    await briefly(`UPDATE incarnation SET number = 9, token = 'shown', previous_token = 'before', consumer_epoch = 2,
      compared_at = now(), server_started_at = pg_postmaster_start_time()`);
    expect(await compared()).toEqual([{ compared: true }]);
    expect(await admin('restore', 'declare', '--service', 'gateway', '--json', ...RESTORED)).toEqual({
      code: 0,
      said: ['{"service":"gateway"}'],
    });
    // Its consumers' epoch stays: the services take the broker's for the next.
    expect(await rows()).toEqual([{ ...older, epoch: 2 }]);
    expect(await compared()).toEqual([{ compared: false }]);
  });

  it('asks which services, and when', async () => {
    for (const options of [[], RESTORED, ['--all'], ['--all', '--service', 'gateway', ...RESTORED]]) {
      expect(await admin('restore', 'declare', ...options)).toMatchObject({ code: 2 });
    }
    expect(await admin('restore', 'declare', '--all', '--restored-at', '2999-01-01')).toMatchObject({ code: 2 });
  });

  it('changes nothing while a service is connected', async () => {
    const before = await rows();
    const service = await connect();
    const { code, said } = await admin('restore', 'declare', '--all', ...RESTORED);
    expect([code, said]).toEqual([
      1,
      [expect.stringContaining('gateway is connected to this database: stop it first.')],
    ]);
    await service.end();
    expect(await rows()).toEqual(before);
  });
});
