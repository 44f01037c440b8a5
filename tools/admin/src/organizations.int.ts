import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { prepareGatewayAdmin, type GatewayAdmin } from '../test/gateway-harness.js';

const servers = testServers();
let sql: GatewayAdmin['sql'];
let admin: GatewayAdmin['admin'];
let folder: string;

beforeAll(async () => {
  ({ sql, admin } = await prepareGatewayAdmin(servers));
  folder = await mkdtemp(join(tmpdir(), 'switchboard-admin-'));
  servers.onEnd(() => rm(folder, { recursive: true }));
});
beforeEach(async () => {
  await sql('TRUNCATE gateway.organization, gateway.audit_entry, gateway.audit_head CASCADE');
  await sql(
    `INSERT INTO gateway.organization (id, name, plan) VALUES ('cacme000', 'Acme', 'SCALE'), ('cglobex0', 'Globex', 'STARTER')`,
  );
  await sql(`INSERT INTO gateway.api_key (id, organization_id, label, prefix, secret_hash)
    VALUES ('ckey0000', 'cacme000', 'Till', 'svc_live_abc', sha256('a'))`);
});

const log = (): Promise<Record<string, unknown>[]> =>
  sql(
    'SELECT organization_id, action, actor_type, actor_id, recorded_by FROM gateway.audit_entry ORDER BY at, sequence',
  );

describe('organizations', () => {
  it('are listed, and shown with the numbers that count for them', async () => {
    await admin('plan', 'set', 'cglobex0', '--seats', '9');
    const { out } = await admin('organizations', 'list');
    expect(out[0]).toMatch(/^ID +PLAN +SUBSCRIPTION +OVERRIDES +CREATEDAT +NAME$/);
    expect(out[1]).toMatch(/^cacme000 +SCALE +ACTIVE +0 .*Acme$/);
    expect(out[2]).toMatch(/^cglobex0 +STARTER +ACTIVE +1 .*Globex$/);
    const shown = (await admin('organizations', 'show', 'cglobex0')).out;
    expect(shown[1]).toContain('plan STARTER, subscription ACTIVE, 0 active and 0 revoked keys, 1 entries');
    expect(shown.at(-1)).toMatch(/^seats +9 +5 +9$/);
    expect(shown.find((line) => line.startsWith('requestBurst'))).toMatch(/300 +300 +-$/);
    const [json] = (await admin('organizations', 'show', 'cacme000', '--json')).out;
    expect(JSON.parse(json ?? '')).toMatchObject({ organization: { name: 'Acme' }, activeKeys: 1 });
  });

  it('get plan, numbers and subscription, and lose keys, with the operator in the audit log', async () => {
    expect(await admin('plan', 'set', 'cglobex0', '--plan', 'GROWTH', '--messages-per-month', '12')).toMatchObject({
      code: 0,
    });
    expect(await admin('plan', 'set', 'cglobex0', '--reset-overrides')).toMatchObject({ code: 0 });
    expect((await admin('subscription', 'set', 'cglobex0', 'PAST_DUE')).out).toEqual([
      'The subscription of Globex (cglobex0) is PAST_DUE.',
    ]);
    expect((await admin('api-keys', 'revoke', 'ckey0000')).out).toEqual([
      expect.stringMatching(/^The key ckey0000 \(svc_live_abc…\) is revoked since .*Z\.$/),
    ]);
    expect(
      await sql(`SELECT plan, messages_per_month, subscription_status FROM gateway.organization WHERE id = 'cglobex0'`),
    ).toEqual([{ plan: 'GROWTH', messages_per_month: null, subscription_status: 'PAST_DUE' }]);
    const by = { actor_type: 'operator', actor_id: 'deputy', recorded_by: 'postgres' };
    expect(await log()).toEqual([
      { organization_id: 'cglobex0', action: 'plan.changed', ...by },
      { organization_id: 'cglobex0', action: 'plan.changed', ...by },
      { organization_id: 'cglobex0', action: 'subscription.changed', ...by },
      { organization_id: 'cacme000', action: 'api-key.revoked', ...by },
    ]);
  });

  it('are named by id or by name, and an id is the one that has it whatever another calls itself', async () => {
    expect(await admin('plan', 'set', 'Globex', '--plan', 'GROWTH')).toMatchObject({ code: 0 });
    expect((await admin('subscription', 'set', 'Globex', 'PAST_DUE')).out[0]).toMatch(/\(cglobex0\) is PAST_DUE/);
    await sql(`UPDATE gateway.organization SET name = 'cacme000' WHERE id = 'cglobex0'`);
    expect((await admin('organizations', 'show', 'cacme000')).out[0]).toMatch(/^Acme \(cacme000\)/);
    await sql(`UPDATE gateway.organization SET name = 'Acme' WHERE id = 'cglobex0'`);
    const err = ['Acme is the name of several: give an id'];
    expect(await admin('plan', 'set', 'Acme', '--seats', '9')).toEqual({ code: 1, out: [], err });
  });

  it.each([
    ['organizations show', 2, 'Which organization?'],
    ['organizations show cnobody0', 1, 'There is no organization cnobody0'],
    ['plan set', 2, 'Whose plan?'],
    ['plan set cacme000', 2, 'What is to be changed?'],
    ['plan set cacme000 --plan GOLD', 1, 'There is no plan GOLD; there are TRIAL, STARTER, GROWTH, SCALE'],
    ['plan set cnobody0 --plan GROWTH', 1, 'There is no organization cnobody0'],
    ['plan set cacme000 --seats many', 2, '--seats must be a whole number from 0 to 1000000, not "many".'],
    ['plan set cacme000 --requests-per-minute 0', 2, '--requests-per-minute must be'],
    ['plan set cacme000 --messages-per-month -5', 2, '--messages-per-month must be a whole number from 0 to'],
    ['plan set cacme000 --messages-per-month --json', 2, "'--messages-per-month' argument is ambiguous"],
    ['plan set cacme000 --request-burst 1e3', 2, '--request-burst must be'],
    ['plan set cacme000 --messages-per-month 99999999999999999999', 2, '--messages-per-month must be'],
    ['plan set cacme000 GROWTH', 2, 'takes no "GROWTH"'],
    ['subscription set cacme000', 2, 'A subscription is ACTIVE, PAST_DUE, CANCELED; not nothing.'],
    ['subscription set cacme000 active', 2, 'not active.'],
    ['api-keys revoke', 2, 'Which key?'],
    ['api-keys revoke cnobody0', 1, 'There is no API key cnobody0'],
    ['plan set cacme000 --gold', 2, '--gold'],
  ])('refuse «%s» with one clear line, and nothing is changed', async (line, code, reason) => {
    expect(await admin(...line.split(' '))).toEqual({ code, out: [], err: [expect.stringContaining(reason)] });
    expect(await log()).toEqual([]);
  });
});

describe('users', () => {
  beforeEach(async () => {
    await sql('DELETE FROM gateway.user_account');
    await sql(
      `INSERT INTO gateway.user_account (id, email, name, password_hash) VALUES ('cuser000', 'a@b.example', 'Ann', 'x')`,
    );
    await sql(`INSERT INTO gateway.membership (id, organization_id, user_id, role)
      VALUES ('cm1', 'cglobex0', 'cuser000', 'OWNER'), ('cm2', 'cacme000', 'cuser000', 'MEMBER')`);
    await sql(`INSERT INTO gateway.session (id, secret_hash, user_id, organization_id, signed_in_at, last_seen_at)
      VALUES ('cs1', sha256('1'), 'cuser000', 'cacme000', now(), now()), ('cs2', sha256('2'), 'cuser000', 'cglobex0', now(), now())`);
  });

  it('get a new password that is shown once, and lose every session; each of their organizations has it in its log', async () => {
    // A session that was idle for too long is refused, though its row is still there.
    await sql(`INSERT INTO gateway.session (id, secret_hash, user_id, organization_id, signed_in_at, last_seen_at)
      VALUES ('cs3', sha256('3'), 'cuser000', 'cacme000', now(), now() - interval '31 minutes')`);
    expect((await admin('users', 'show', 'A@b.example')).out[0]).toBe('Ann <a@b.example> (cuser000), 2 sessions');
    const { code, out } = await admin('users', 'reset-password', 'A@b.example', '--json');
    const { password, logs } = JSON.parse(out[0] ?? '');
    expect([code, password, logs]).toEqual([0, expect.stringMatching(/^[\w-]{24}$/), 2]);
    const [user] = await sql('SELECT password_hash FROM gateway.user_account');
    expect(user?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await sql('SELECT FROM gateway.session')).toEqual([]);
    const by = { action: 'user.password-reset', actor_type: 'operator', actor_id: 'deputy', recorded_by: 'postgres' };
    expect((await log()).map((row) => JSON.stringify(row)).sort()).toEqual(
      ['cacme000', 'cglobex0'].map((organization_id) => JSON.stringify({ organization_id, ...by })),
    );
    expect(JSON.stringify(await sql('SELECT * FROM gateway.audit_entry'))).not.toContain(password);
  });

  it('are signed out everywhere, and that is in the log of each of their organizations', async () => {
    expect((await admin('users', 'sign-out', 'a@b.example')).out).toEqual(['2 sessions of a@b.example have ended.']);
    expect((await log()).map(({ action }) => action)).toEqual(Array(2).fill('user.signed-out-everywhere'));
  });

  it.each([
    ['users show', 2, 'Whose account?'],
    ['users sign-out no@b.example', 1, 'There is no account of no@b.example'],
    ['users reset-password no@b.example', 1, 'There is no account of no@b.example'],
  ])('refuse «%s» with one clear line', async (line, code, reason) => {
    expect(await admin(...line.split(' '))).toEqual({ code, out: [], err: [expect.stringContaining(reason)] });
  });
});

describe('audit verify', () => {
  const acts = async (): Promise<void> => {
    for (const status of ['PAST_DUE', 'ACTIVE', 'CANCELED']) await admin('subscription', 'set', 'cacme000', status);
    await admin('subscription', 'set', 'cglobex0', 'CANCELED');
  };

  it('says that all is as it was written, or names the first faulty row of each chain and ends with 1', async () => {
    await acts();
    expect(await admin('audit', 'verify')).toEqual({
      code: 0,
      out: ['4 rows in 2 chains are as they were written, and none is missing.'],
      err: [],
    });
    await sql(`UPDATE gateway.audit_entry SET actor_id = 'other' WHERE organization_id = 'cacme000' AND sequence >= 2`);
    await sql(`DELETE FROM gateway.audit_entry WHERE organization_id = 'cglobex0'`);
    expect(await admin('audit', 'verify')).toEqual({
      code: 1,
      out: [expect.stringMatching(/^cacme000: row 2 is not/), expect.stringMatching(/^cglobex0: row 1 is missing/)],
      err: ['2 of 2 chains of the audit log are not as they were written.'],
    });
    const one = await admin('audit', 'verify', '--organization', 'cglobex0', '--json');
    expect([one.code, one.out.map((line) => JSON.parse(line))]).toEqual([
      1,
      [{ organizationId: 'cglobex0', sequence: 1, what: expect.any(String) }],
    ]);
  });

  it('saves heads, and holds the log to those that were saved', async () => {
    await acts();
    const file = join(folder, 'heads');
    expect((await admin('audit', 'verify', '--save-heads', file)).code).toBe(0);
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(2);
    await admin('subscription', 'set', 'cacme000', 'ACTIVE');
    const fits = await admin('audit', 'verify', '--expect', file);
    expect(fits).toMatchObject({ code: 0, out: [expect.stringContaining('2 saved heads fit')] });
    await sql('TRUNCATE gateway.audit_entry, gateway.audit_head');
    expect(await admin('audit', 'verify')).toMatchObject({
      code: 1,
      out: ['cacme000', 'cglobex0'].map((id) => `${id}: row 1 is missing: the organization exists, and has no entries`),
    });
    await sql(`UPDATE gateway.organization SET subscription_status = 'ACTIVE'`);
    await acts();
    expect((await admin('audit', 'verify')).code).toBe(0);
    expect(await admin('audit', 'verify', '--expect', file)).toMatchObject({
      code: 1,
      out: [
        expect.stringMatching(/^cacme000: row 3 does not have the hash that was noted/),
        expect.stringMatching(/^cglobex0: row 1 /),
      ],
    });
  });

  it('says so when there is nothing to verify, and refuses an organization that does not exist', async () => {
    await acts();
    expect(await admin('audit', 'verify', '--organization', 'ctypo0000')).toEqual({
      code: 1,
      out: [],
      err: ['There is no organization ctypo0000, and no chain of it.'],
    });
    expect((await admin('audit', 'verify', '--organization', 'cacme000')).code).toBe(0);
    await sql('TRUNCATE gateway.organization, gateway.audit_entry, gateway.audit_head CASCADE');
    expect((await admin('audit', 'verify')).out).toEqual(['0 chains: nothing to verify.']);
  });

  it('refuses a file that holds no heads', async () => {
    const file = join(folder, 'none');
    await writeFile(file, '{"organizationId":"cacme000"}\n');
    expect(await admin('audit', 'verify', '--expect', file)).toMatchObject({
      code: 2,
      err: [`Line 1 of ${file} is no head of the audit log.`],
    });
    expect(await admin('audit', 'verify', '--expect', join(folder, 'absent'))).toMatchObject({
      code: 1,
      err: [expect.stringContaining('absent')],
    });
  });
});
