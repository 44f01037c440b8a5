import { beforeAll, describe, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { prepareGatewayAdmin, type GatewayAdmin } from '../test/gateway-harness.js';

const servers = testServers();
let sql: GatewayAdmin['sql'];
let admin: GatewayAdmin['admin'];

beforeAll(async () => {
  ({ sql, admin } = await prepareGatewayAdmin(servers));
  // What of messaging the command looks at; every statement notes the organizations that it counts.
  await sql(`
    CREATE SCHEMA messaging;
    CREATE TABLE messaging.relay_state ();
    CREATE TABLE messaging.channel (organization_id text);
    CREATE TABLE messaging.quota (organization_id text, month text, used bigint);
    CREATE TABLE messaging.counted (statement_at timestamptz, organization text);
    CREATE FUNCTION messaging.quota_counted(organization text, month text) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO messaging.counted VALUES (statement_timestamp(), organization); RETURN 0; END $$;
    INSERT INTO messaging.channel VALUES ('cacme000'), ('cglobex0'), ('cglobex0'), ('cinitech')`);
});

describe('quota check', () => {
  it('reads the messages of one organization in a statement, however many there are', async () => {
    expect(await admin('quota', 'check', '--json')).toMatchObject({ code: 0, err: [] });
    const statements = await sql(
      `SELECT string_agg(DISTINCT organization, ',') AS of FROM messaging.counted GROUP BY statement_at ORDER BY 1`,
    );
    expect(statements).toEqual([{ of: 'cacme000' }, { of: 'cglobex0' }, { of: 'cinitech' }]);
  });
});
