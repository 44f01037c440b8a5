import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { prepareGatewayAdmin, type GatewayAdmin } from '../test/gateway-harness.js';

const servers = testServers();
let database: Database;
let sql: GatewayAdmin['sql'];
let admin: GatewayAdmin['admin'];
/** The month may turn while the file runs: the command looks at the last one, too. */
const month = new Date().toISOString().slice(0, 7);

beforeAll(async () => {
  ({ database, sql, admin } = await prepareGatewayAdmin(servers));
});
// What of messaging the command looks at: two counters, of which one is right.
beforeEach(() =>
  sql(`
      TRUNCATE gateway.organization, gateway.audit_entry, gateway.audit_head CASCADE;
      INSERT INTO gateway.organization (id, name, plan) VALUES ('cacme000', 'Acme', 'SCALE'), ('cglobex0', 'Globex', 'STARTER');
      DROP SCHEMA IF EXISTS messaging CASCADE;
      CREATE SCHEMA messaging;
      CREATE TABLE messaging.relay_state ();
      CREATE TABLE messaging.channel (organization_id text);
      CREATE TABLE messaging.quota (organization_id text, month text, used bigint, PRIMARY KEY (organization_id, month));
      CREATE FUNCTION messaging.quota_counted(organization text, month text) RETURNS bigint LANGUAGE sql STABLE
        RETURN CASE WHEN month = '${month}' THEN 7 ELSE 0 END;
      INSERT INTO messaging.channel VALUES ('cacme000'), ('cglobex0');
      INSERT INTO messaging.quota SELECT id, '${month}', used
        FROM (VALUES ('cacme000', 12), ('cglobex0', 7)) AS q (id, used)`),
);

const repairs = (): Promise<unknown> =>
  sql('SELECT organization_id, action, actor_type, actor_id, before, after FROM gateway.audit_entry');
const used = (): Promise<unknown> =>
  sql(`SELECT used::integer FROM messaging.quota WHERE organization_id = 'cacme000'`);
const isCounting = async (text: string): Promise<boolean> =>
  (await sql(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${text}%'`)).length > 0;

describe('quota check --repair', () => {
  it('writes each counter that it sets into the audit log of its organization, and no other', async () => {
    expect((await admin('quota', 'check')).code).toBe(1);
    expect(await repairs()).toEqual([]);
    expect(await admin('quota', 'check', '--repair')).toMatchObject({ code: 0 });
    const by = { actor_type: 'operator', actor_id: 'deputy' };
    const [before, after] = [
      { month, used: 12 },
      { month, used: 7 },
    ];
    expect(await repairs()).toEqual([{ organization_id: 'cacme000', action: 'quota.repaired', ...by, before, after }]);
    expect((await admin('quota', 'check', '--repair')).code).toBe(0);
    expect(await repairs()).toHaveLength(1);
  });

  it('counts before it locks, and keeps what is sent meanwhile', async () => {
    // Each of the two statements that count waits for a table of its own: the second's is held before the first is let go.
    await sql(`
      CREATE TABLE messaging.first_count AS SELECT 7::bigint AS count;
      CREATE TABLE messaging.second_count AS SELECT 7::bigint AS count;
      CREATE OR REPLACE FUNCTION messaging.quota_counted(organization text, month text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
        BEGIN
          IF month <> '${month}' THEN RETURN 0; END IF;
          IF organization = 'cglobex0' THEN RETURN 7; END IF;
          IF current_query() LIKE '%AS difference%' THEN RETURN (SELECT count FROM messaging.second_count); END IF;
          RETURN (SELECT count FROM messaging.first_count);
        END $$`);
    const holder = await database.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE messaging.second_count; SAVEPOINT first; LOCK TABLE messaging.first_count');
      const repaired = admin('quota', 'check', '--repair', 'cacme000');
      await eventually(() => isCounting('FROM generate_series'));
      await holder.query('ROLLBACK TO SAVEPOINT first');
      await eventually(() => isCounting('AS difference'));
      await sql(`SELECT FROM messaging.quota WHERE organization_id = 'cacme000' FOR UPDATE NOWAIT`);
      await holder.query(`UPDATE messaging.second_count SET count = count + 1;
        UPDATE messaging.quota SET used = used + 1 WHERE organization_id = 'cacme000'; COMMIT`);
      expect(await repaired).toMatchObject({ code: 0 });
    } finally {
      holder.release(true);
    }
    expect(await used()).toEqual([{ used: 8 }]);
  });

  it('sets no counter of which the log cannot tell', async () => {
    await sql('ALTER TABLE gateway.audit_head RENAME TO gone');
    try {
      expect((await admin('quota', 'check', '--repair')).code).toBe(1);
    } finally {
      await sql('ALTER TABLE gateway.gone RENAME TO audit_head');
    }
    expect(await used()).toEqual([{ used: 12 }]);
  });
});
