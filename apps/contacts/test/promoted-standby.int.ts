import { expect, it } from '@jest/globals';
import { createLog } from '@switchboard/platform';
import { statement } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { startStandby } from '@switchboard/testing/standby';
import { VERSION_FLOOR, raiseVersionFloor } from '../src/contact/version-floor.js';
import { contactsMigrations } from '../src/migrations/all.js';

const servers = testServers({ ownPostgres: true });
const log = createLog('contacts', { write: () => undefined });
const floorSql = statement<{ floor: number }>('t.floor', `SELECT ${VERSION_FLOOR}::float8 AS floor`);
const nowSql = statement<{ now: Date }>('t.now', 'SELECT clock_timestamp() AS now');
const comparedSql = statement(
  't.compared',
  `INSERT INTO incarnation (number, token, previous_token, consumer_epoch, compared_at, server_started_at)
   VALUES (1, 'token', NULL, 0, now(), pg_postmaster_start_time())`,
);

it('goes on above what was lost since the last of two restores, on a standby that was started before both', async () => {
  const prepared = await servers.serviceDatabase('contacts', [...contactsMigrations]);
  const primary = await prepared.database();
  const standby = await startStandby(servers, prepared);
  await raiseVersionFloor(primary, { writtenBefore: new Date(), number: 1, lastNumber: 2 }, log);
  const [former] = await primary.query(floorSql, []);
  // The server that a restore led to lives for longer than a millisecond.
  await eventually(async () => Number((await primary.query(nowSql, []))[0]?.now) > (former?.floor ?? NaN) + 2);
  await primary.query(comparedSql, []);
  const promoted = await standby.promote();
  const [floor] = await promoted.query(floorSql, []);
  // A change that was lost has the next number above the former floor.
  expect(floor?.floor).toBeGreaterThan((former?.floor ?? NaN) + 1);
});
