import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { prepareGatewayAdmin, type GatewayAdmin } from '../test/gateway-harness.js';

const servers = testServers();
let sql: GatewayAdmin['sql'];
let admin: GatewayAdmin['admin'];

beforeAll(async () => {
  ({ sql, admin } = await prepareGatewayAdmin(servers));
  // What of messaging the command looks at.
  await sql(`
    CREATE SCHEMA messaging;
    CREATE TABLE messaging.relay_state ();
    CREATE TABLE messaging.channel (organization_id text, id text);
    CREATE TABLE messaging.channel_pace (organization_id text, channel_id text, per_second real,
      PRIMARY KEY (organization_id, channel_id));
    INSERT INTO messaging.channel VALUES ('cacme000', 'cline000')`);
});
beforeEach(async () => {
  await sql('TRUNCATE gateway.organization, gateway.audit_entry, gateway.audit_head, messaging.channel_pace CASCADE');
  await sql(`INSERT INTO gateway.organization (id, name, plan) VALUES ('cacme000', 'Acme', 'SCALE')`);
});

const rates = (): Promise<unknown> => sql('SELECT per_second AS rate FROM messaging.channel_pace');
const log = (): Promise<unknown> =>
  sql('SELECT organization_id, action, actor_type, actor_id, before, after FROM gateway.audit_entry ORDER BY sequence');

describe('channel-rate set', () => {
  it('writes each change into the audit log of the organization, and none that changes nothing', async () => {
    const { code, out } = await admin('channel-rate', 'set', 'cline000', '0.1', '--json');
    expect([code, ...out.map((line) => JSON.parse(line))]).toEqual([
      0,
      { channel: 'cline000', perSecond: 0.1, organization: 'cacme000' },
    ]);
    for (const rate of ['0.1', '120', 'default', 'default']) {
      expect(await admin('channel-rate', 'set', 'cline000', rate)).toMatchObject({ code: 0 });
    }
    expect(await rates()).toEqual([{ rate: null }]);
    const by = { organization_id: 'cacme000', action: 'channel.changed', actor_type: 'operator', actor_id: 'deputy' };
    const at = (perSecond: number | string) => ({ id: 'cline000', perSecond });
    expect(await log()).toEqual([
      { ...by, before: at('default'), after: at(0.1) },
      { ...by, before: at(0.1), after: at(120) },
      { ...by, before: at(120), after: at('default') },
    ]);
  });

  it('sets no rate of which the log cannot tell, and none of a channel that does not exist', async () => {
    await sql('ALTER TABLE gateway.audit_head RENAME TO gone');
    try {
      expect((await admin('channel-rate', 'set', 'cline000', '9')).code).toBe(1);
    } finally {
      await sql('ALTER TABLE gateway.gone RENAME TO audit_head');
    }
    const err = ['There is no channel cnobody0.'];
    expect(await admin('channel-rate', 'set', 'cnobody0', '9')).toEqual({ code: 1, out: [], err });
    expect([await rates(), await log()]).toEqual([[], []]);
  });
});
