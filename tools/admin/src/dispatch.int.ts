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
    CREATE TABLE messaging.dispatch (organization_id text, message_id text, state text, due_at timestamptz)`);
});
beforeEach(async () => {
  await sql('TRUNCATE gateway.organization, gateway.audit_entry, gateway.audit_head, messaging.dispatch CASCADE');
  await sql(`INSERT INTO gateway.organization (id, name, plan) VALUES ('cacme000', 'Acme', 'SCALE')`);
  await sql(`INSERT INTO messaging.dispatch VALUES ('cacme000', 'cm1', 'RETRY', now() + interval '1 hour'),
    ('cacme000', 'cm2', 'UNKNOWN', now() + interval '1 hour'), ('cacme000', 'cm3', 'UNKNOWN', now() + interval '1 hour')`);
});

const due = (): Promise<unknown> =>
  sql('SELECT message_id AS id FROM messaging.dispatch WHERE due_at <= now() ORDER BY message_id');
const log = (): Promise<unknown> =>
  sql('SELECT organization_id, action, actor_type, actor_id, before, after FROM gateway.audit_entry ORDER BY sequence');

describe('dispatch give-up', () => {
  it('awaits one unknown outcome no longer, and writes that once into the audit log of the organization', async () => {
    for (let time = 0; time < 2; time++) {
      expect(await admin('dispatch', 'give-up', 'cm3')).toEqual({
        code: 0,
        out: [expect.stringMatching(/^The message cm3 will be FAILED/)],
        err: [],
      });
    }
    expect(await due()).toEqual([{ id: 'cm3' }]);
    const by = { organization_id: 'cacme000', actor_type: 'operator', actor_id: 'deputy' };
    const after = { id: 'cm3', code: 'UPSTREAM_OUTCOME_UNKNOWN' };
    expect(await log()).toEqual([{ ...by, action: 'message.given-up', before: null, after }]);
  });

  it('changes nothing of a message that awaits none, and nothing of which the log cannot tell', async () => {
    const err = ['The message cm1 awaits no unknown outcome.'];
    expect(await admin('dispatch', 'give-up', 'cm1')).toEqual({ code: 1, out: [], err });
    expect(await admin('dispatch', 'give-up')).toMatchObject({ code: 2 });
    await sql('ALTER TABLE gateway.audit_head RENAME TO gone');
    try {
      expect((await admin('dispatch', 'give-up', 'cm2')).code).toBe(1);
    } finally {
      await sql('ALTER TABLE gateway.gone RENAME TO audit_head');
    }
    expect([await due(), await log()]).toEqual([[], []]);
  });
});
