import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { prepareGatewayAdmin, type GatewayAdmin } from '../test/gateway-harness.js';

const servers = testServers();
let sql: GatewayAdmin['sql'];
let admin: GatewayAdmin['admin'];

beforeAll(async () => {
  ({ sql, admin } = await prepareGatewayAdmin(servers));
  await sql(
    `INSERT INTO gateway.organization (id, name, plan)
     VALUES ('cacme000', 'Acme', 'SCALE'), ('ctwin000', 'Twin', 'SCALE'), ('ctwin001', 'Twin', 'SCALE')`,
  );
});

describe('api-keys create', () => {
  it('prints a key with its scopes alone, keeps its hash alone, and writes the audit log without it', async () => {
    const made = await admin(
      'api-keys',
      'create',
      'Acme',
      '--label',
      'shop',
      '--scopes',
      'messages:send, messages:read',
    );
    const [secret = '', line] = made.out;
    expect(secret).toMatch(/^svc_live_[0-9A-Za-z]{38}$/);
    expect(line).toMatch(/^The key c\w{24} \(shop\) has messages:send, messages:read\. It is not shown again\.$/);
    const hash = createHash('sha256').update(secret).digest('hex');
    const stored = await sql(
      `SELECT organization_id, label, scopes FROM gateway.api_key WHERE secret_hash = decode('${hash}', 'hex')`,
    );
    const scopes = ['messages:send', 'messages:read'];
    expect(stored).toEqual([{ organization_id: 'cacme000', label: 'shop', scopes }]);
    const entries = await sql('SELECT * FROM gateway.audit_entry');
    expect(entries).toMatchObject([{ action: 'api-key.created', actor_type: 'operator', actor_id: 'deputy' }]);
    expect(JSON.stringify(entries)).not.toContain(secret);
  });

  it('gives every scope without --scopes, and JSON with --json', async () => {
    const [json = ''] = (await admin('api-keys', 'create', 'cacme000', '--label', 'all', '--json')).out;
    expect(JSON.parse(json)).toMatchObject({ label: 'all', scopes: null, secret: expect.stringMatching(/^svc_live_/) });
  });

  it('counts characters of a label as the API does', async () => {
    const made = await admin('api-keys', 'create', 'cacme000', '--label', '\u{1f511}'.repeat(100));
    expect(made).toMatchObject({ code: 0, err: [] });
    const refused = await admin('api-keys', 'create', 'cacme000', '--label', '\u{1f511}'.repeat(101));
    expect(refused).toMatchObject({ code: 2, err: ['What is the key for? Give --label, 1 to 100 characters.'] });
  });

  it.each([
    [['api-keys', 'create'], 2, 'For which organization?'],
    [['api-keys', 'create', 'cacme000'], 2, '--label'],
    [['api-keys', 'create', 'cacme000', '--label', 'x', '--scopes', 'messages:send,all'], 2, 'There is no scope "all"'],
    [['api-keys', 'create', 'cacme000', '--label', '\u2060'], 2, 'one line with a visible character'],
    [['api-keys', 'create', 'cacme000', '--label', 'x\u202ey'], 2, 'one line with a visible character'],
    [['api-keys', 'create', 'nowhere', '--label', 'x'], 1, 'There is no organization nowhere'],
    [['api-keys', 'create', 'Twin', '--label', 'x'], 1, 'give an id'],
  ])('refuses %j in one line', async (args, code, reason) => {
    const keys = await sql('SELECT id FROM gateway.api_key');
    expect(await admin(...args)).toEqual({ code, out: [], err: [expect.stringContaining(reason)] });
    expect(await sql('SELECT id FROM gateway.api_key')).toEqual(keys);
  });
});
