import { describe, expect, it } from '@jest/globals';
import { migrate, statement } from '@switchboard/postgres';
import { testServers, type ServiceDatabase } from '../index.js';

const servers = testServers();

const moment = '2026-11-30T01:02:03.456Z';
const answer = statement<{
  at: Date;
  list: (string | null)[];
  position: number;
  written: number;
  path: string;
  memory: string;
}>(
  'test.session-options',
  `SELECT $1::timestamptz AS at, '{NULL}'::text[] AS list, 1234567890123456::float8 AS position, length('\\\\') AS written,
     current_setting('search_path') AS path, current_setting('work_mem') AS memory`,
);

class Noted1768000000000 {
  readonly name = 'Noted1768000000000';

  async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query(`CREATE TABLE noted AS SELECT U&'\\0130' AS letter`);
  }

  async down(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query('DROP TABLE noted');
  }
}

describe('the session of a service', () => {
  it('means the same by its SQL and its answers whatever the database has set', async () => {
    const prepared = await servers.serviceDatabase('messaging', []);
    await set(
      prepared,
      "datestyle = 'German'",
      'extra_float_digits = -10',
      'standard_conforming_strings = off',
      'array_nulls = off',
    );
    const database = await prepared.database();
    const [row] = await database.query(answer, [new Date(moment)]);
    expect(row).toMatchObject({ at: new Date(moment), list: [null], position: 1_234_567_890_123_456, written: 2 });
    await migrate({ ...targetOf(prepared), url: prepared.migratorUrl });
    expect(await database.dataSource.query('SELECT letter FROM noted')).toEqual([{ letter: 'İ' }]);
  });

  it('keeps the options of its URL, and has its own as well', async () => {
    const prepared = await servers.serviceDatabase('messaging', []);
    const options = `?options=${encodeURIComponent('-c work_mem=8MB -c search_path=public')}`;
    await migrate({ ...targetOf(prepared), url: prepared.migratorUrl + options });
    const database = await prepared.database({ url: prepared.url + options });
    expect(await database.query(answer, [new Date(moment)])).toMatchObject([{ path: 'messaging', memory: '8MB' }]);
    expect(await database.dataSource.query('SELECT letter FROM messaging.noted')).toEqual([{ letter: 'İ' }]);
  });

  it('has the name of the service also where its URL has another: what must not run next to the service looks for it', async () => {
    const prepared = await servers.serviceDatabase('messaging', []);
    const database = await prepared.database({ url: `${prepared.url}?application_name=mine` });
    const [session] = await database.dataSource.query(`SELECT current_setting('application_name') AS name`);
    expect(session).toEqual({ name: 'messaging-test' });
  });
});

function targetOf({ role }: ServiceDatabase): Omit<Parameters<typeof migrate>[0], 'url'> {
  return { schema: 'messaging', migrations: [Noted1768000000000], serviceRole: role };
}

async function set(prepared: ServiceDatabase, ...settings: readonly string[]): Promise<void> {
  const superuser = await prepared.superuser();
  for (const setting of settings) await superuser.dataSource.query(`ALTER DATABASE "${prepared.name}" SET ${setting}`);
}
