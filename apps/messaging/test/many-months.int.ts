import { beforeAll, expect, it } from '@jest/globals';
import { createLog } from '@switchboard/platform';
import { testServers } from '@switchboard/testing';
import { keepMonths } from '../src/keep-months/keep-months.js';
import { MessagingStore } from './messaging-store.js';

const MONTHS = 30;
const servers = testServers();
const log = createLog('test', { write: () => undefined });
let store: MessagingStore;

beforeAll(async () => {
  store = await MessagingStore.open(servers, 8, {});
  const { dataSource } = store.superuser;
  await dataSource.query('SET search_path = messaging');
  await dataSource.query(
    `SELECT keep_message_month(now() - make_interval(months => n)) FROM generate_series(2, $1) AS n`,
    [MONTHS],
  );
  // As an ANALYZE of months with messages leaves them.
  await dataSource.query(`
    SELECT pg_restore_attribute_stats('schemaname', 'messaging', 'relname', c.relname::text, 'attname', a.attname::text,
      'inherited', false, 'version', current_setting('server_version_num')::integer,
      'null_frac', 0::real, 'avg_width', 25, 'n_distinct', 4::real)
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'messaging'::regnamespace AND c.relkind = 'r' AND a.attstattarget IS DISTINCT FROM 0`);
});

it('makes the month ahead within a statement’s time, with years of them there, and gives the planner hints about it', async () => {
  const { dataSource } = store.superuser;
  const [{ name }] = await dataSource.query(`
    SELECT max(c.relname) AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'messaging.message'::regclass`);
  await dataSource.query(`DROP TABLE messaging.${name}`);
  await keepMonths(store.database, 0, log);
  const hints = await dataSource.query(
    `SELECT n_distinct AS "distinct" FROM pg_stats
     WHERE schemaname = 'messaging' AND tablename = $1 AND attname = 'organization_id'`,
    [name],
  );
  expect(hints).toEqual([{ distinct: 4 }]);
});
