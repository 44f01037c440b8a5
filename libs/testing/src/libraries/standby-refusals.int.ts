import { expect, it } from '@jest/globals';
import { isUnavailable, statement } from '@switchboard/postgres';
import { testServers } from '../index.js';
import { startStandby } from '../standby.js';
import { Outbox1764000000000 } from './outbox-fixture.js';

const servers = testServers({ ownPostgres: true });
const sessionSql = statement<{ pid: number }>('t.session', 'SELECT pg_backend_pid() AS pid');
const countSql = statement('t.count', 'SELECT count(*) FROM burst');
const writeSql = statement('t.write', 'UPDATE burst SET used = used + 1');

/** Requests are counted in such a table before anything else is asked. */
it('has a standby refuse what is not logged as it refuses a write, and keeps no session with it', async () => {
  const prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  const superuser = await prepared.superuser();
  await superuser.dataSource.query('CREATE UNLOGGED TABLE contacts.burst (used int)');
  await superuser.dataSource.query('GRANT SELECT, UPDATE ON contacts.burst TO PUBLIC');
  const standby = await startStandby(servers, prepared);
  const database = await standby.connect();
  for (const refused of [countSql, writeSql]) {
    const [before] = await database.query(sessionSql, []);
    const error: unknown = await database.query(refused, []).catch((reason: unknown) => reason);
    expect([refused.name, error instanceof Error, isUnavailable(error)]).toEqual([refused.name, true, true]);
    const [after] = await database.query(sessionSql, []);
    expect(after?.pid).not.toBe(before?.pid);
  }
});
