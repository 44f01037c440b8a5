import { beforeAll, describe, expect, it } from '@jest/globals';
import { gatewayMigrations } from '@switchboard/gateway/migrations';
import { statement, type Database } from '@switchboard/postgres';
import { IS_COMPARED } from '@switchboard/outbox';
import { testServers } from '@switchboard/testing';
import { readAdminConfig } from './admin.config.js';
import { runAdmin } from './admin.js';

const servers = testServers();
let database: Database;
let url: string;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
  database = await prepared.database();
  url = prepared.superuserUrl;
});

async function admin(...args: string[]): Promise<{ code: number; said: string[] }> {
  const said: string[] = [];
  const print = { out: (line: string) => said.push(line), err: (line: string) => said.push(line) };
  const config = readAdminConfig('/nowhere', { DATABASE_URL: url });
  return { code: await runAdmin(args, { config, ...print, operator: null }), said };
}

const load = statement(
  'test.incarnation',
  'SELECT number, token, previous_token AS previous, consumer_epoch AS epoch FROM incarnation',
);
const compared = statement<{ compared: boolean }>('test.is-compared', `SELECT ${IS_COMPARED} AS compared`);

describe('restore declare', () => {
  it('leaves a row that is older than any that the broker was shown, and by which nothing is due, with or without one before', async () => {
    const older = { number: 0, token: expect.stringMatching(/^declared-/), previous: null };
    expect(await admin('restore', 'declare', '--all')).toMatchObject({ code: 0 });
    expect(await database.query(load, [])).toEqual([{ ...older, epoch: 0 }]);
    await database.query(
      statement(
        'test.go-on',
        `UPDATE incarnation SET number = 9, token = 'shown', previous_token = 'before', consumer_epoch = 2, compared_at = now(),
           server_started_at = pg_postmaster_start_time()`,
      ),
      [],
    );
    expect(await database.query(compared, [])).toEqual([{ compared: true }]);
    expect(await admin('restore', 'declare', '--service', 'gateway', '--json')).toEqual({
      code: 0,
      said: ['{"service":"gateway"}'],
    });
    // Its consumers' epoch stays: the services take the broker's for the next.
    expect(await database.query(load, [])).toEqual([{ ...older, epoch: 2 }]);
    expect(await database.query(compared, [])).toEqual([{ compared: false }]);
  });

  it('asks which services', async () => {
    expect(await admin('restore', 'declare')).toMatchObject({ code: 2 });
    expect(await admin('restore', 'declare', '--all', '--service', 'gateway')).toMatchObject({ code: 2 });
  });
});
