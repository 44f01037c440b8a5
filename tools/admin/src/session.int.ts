import { expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { prepareGatewayAdmin } from '../test/gateway-harness.js';

const servers = testServers();

it('reads times whatever form the database gives them', async () => {
  const { sql, admin } = await prepareGatewayAdmin(servers);
  await sql(`
    INSERT INTO gateway.dead_letter (event_id, consumer, subject, envelope, error, deliveries, died_at)
    VALUES ('ce1', 'relay', 's', '{}', 'gone', 1, '2026-01-31T12:00:00Z');
    DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET datestyle = ''SQL, DMY''', current_database()); END $$`);
  const { out, err } = await admin('dead-letters', 'list', '--json');
  expect(err).toEqual([]);
  expect(out.map((line) => JSON.parse(line))).toMatchObject([{ id: 'ce1', diedAt: '2026-01-31T12:00:00.000Z' }]);
});

it('says of a database that is read only that it takes no writes, and where to read what to do', async () => {
  const { sql, admin } = await prepareGatewayAdmin(servers);
  await sql(`
    DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`);
  const { code, err } = await admin('dead-letters', 'redrive', '--all');
  const line =
    /^The database takes no writes: cannot execute .+\. See "A database that is read only" in docs\/operations\.md\.$/;
  expect([code, err]).toEqual([1, [expect.stringMatching(line)]]);
});
