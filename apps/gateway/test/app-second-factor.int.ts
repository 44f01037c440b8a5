import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { systemClock } from '@switchboard/platform';
import { AppClient, type Credentials, testServers, type AppAnswer } from '@switchboard/testing';
import { TOTP } from 'otpauth';
import { operate } from '../src/operate.js';
import { bootGateway, type TestGateway } from './gateway-harness.js';
import { makeMember, PASSWORD } from './people-harness.js';

const servers = testServers();
let booted: TestGateway;

beforeAll(async () => {
  // The gateway's clock stands still: however long a request takes, no code expires and no wait ends.
  jest.spyOn(systemClock, 'now').mockReturnValue(Date.now());
  booted = await bootGateway(servers);
});

const PERIOD_MS = 30_000;
const newClient = (): AppClient => new AppClient(booted.gateway.url);
const signedIn = (user: Credentials): Promise<AppClient> => AppClient.signedIn(booted.gateway.url, user);
const shown = ({ status, body }: AppAnswer): unknown => [status, body?.error?.code ?? null];
/** Codes of the steps around now: they cannot be waited for. */
const codeOf = (seed: string, step = 0): string =>
  new TOTP({ secret: seed }).generate({ timestamp: systemClock.now() + step * PERIOD_MS });
const enrolled = async (page: AppClient): Promise<{ seed: string; recoveryCodes: readonly string[] }> => {
  const { body } = await page.post('/app/api/second-factor', { password: PASSWORD });
  const seed = String(body?.['seed']);
  // The step before: the present one is left for what comes next.
  const enabled = await page.post('/app/api/second-factor/enable', { code: codeOf(seed, -1) });
  expect(enabled.status).toBe(200);
  return { seed, recoveryCodes: enabled.body?.['recoveryCodes'] as readonly string[] };
};
const auditOf = async (organizationId: string): Promise<unknown[]> =>
  (
    await booted.database.dataSource.query(
      `SELECT action FROM gateway.audit_entry WHERE organization_id = $1 AND action LIKE '%factor%' OR
         organization_id = $1 AND action LIKE '%recovery%' ORDER BY sequence`,
      [organizationId],
    )
  ).map(({ action }: { action: string }) => action);

describe('a second factor', () => {
  it('is enabled by its first code, asked for at sign-in from then on, and takes each code once', async () => {
    const user = await makeMember(booted.database);
    const [page, other] = await Promise.all([signedIn(user), signedIn(user)]);
    expect(shown(await page.post('/app/api/second-factor', { password: 'wrong password' }))).toEqual([
      400,
      'VALIDATION_FAILED',
    ]);
    const begun = await page.post('/app/api/second-factor', { password: PASSWORD });
    const seed = String(begun.body?.['seed']);
    expect(begun.body).toEqual({
      seed: expect.stringMatching(/^[A-Z2-7]{32}$/),
      uri: expect.stringMatching(/^otpauth:\/\/totp\/Switchboard:.*secret=[A-Z2-7]{32}.*digits=6&period=30/),
    });
    // Nothing changes until the first code has come.
    expect((await newClient().signIn(user)).body?.['secondFactor']).toEqual({ isEnabled: false, isRequired: false });
    expect(shown(await page.post('/app/api/second-factor/enable', { code: '000000' }))).toEqual([
      401,
      'SECOND_FACTOR_INVALID',
    ]);
    const first = codeOf(seed, -1);
    const enabled = await page.post('/app/api/second-factor/enable', { code: first });
    const codes = enabled.body?.['recoveryCodes'] as readonly string[];
    expect([enabled.status, codes.length, new Set(codes).size]).toEqual([200, 10, 10]);
    expect([(await other.get('/app/api/session')).status, (await page.get('/app/api/session')).status]).toEqual([
      401, 200,
    ]);
    expect((await page.get('/app/api/second-factor')).body).toEqual({
      isEnabled: true,
      isRequired: false,
      enabledAt: expect.any(String),
      recoveryCodesLeft: 10,
    });
    const attempt = (code?: string): Promise<AppAnswer> =>
      newClient().post('/app/api/sign-in', { email: user.email, password: PASSWORD, code });
    expect(shown(await attempt())).toEqual([401, 'SECOND_FACTOR_REQUIRED']);
    expect(shown(await attempt(first))).toEqual([401, 'SECOND_FACTOR_INVALID']);
    const now = codeOf(seed);
    const both = await Promise.all([attempt(now), attempt(now)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(shown(await attempt(now))).toEqual([401, 'SECOND_FACTOR_INVALID']);
    expect(shown(await attempt(codeOf(seed, 3)))).toEqual([401, 'SECOND_FACTOR_INVALID']);
    // A recovery code, in whatever form it was copied, once.
    const [recovery = ''] = codes;
    expect((await attempt(recovery.toUpperCase().replaceAll('-', ' '))).status).toBe(200);
    expect(shown(await attempt(recovery))).toEqual([401, 'SECOND_FACTOR_INVALID']);
    // A wrong password says nothing of the code.
    const wrong = { email: user.email, password: 'wrong password', code: codeOf(seed, 1) };
    expect(shown(await newClient().post('/app/api/sign-in', wrong))).toEqual([401, 'UNAUTHORIZED']);
    const { dataSource } = booted.superuser;
    const stored = JSON.stringify([
      await dataSource.query('SELECT f::text FROM gateway.second_factor f'),
      await dataSource.query('SELECT r::text FROM gateway.recovery_code r'),
      await dataSource.query('SELECT a::text FROM gateway.audit_entry a'),
    ]);
    for (const secret of [seed, ...codes]) expect(stored).not.toContain(secret);
    expect(JSON.stringify(booted.log.lines)).not.toContain(seed);
  });

  it('is named in the audit log of each sign-in, and how many recovery codes one has left', async () => {
    const user = await makeMember(booted.database);
    const { seed, recoveryCodes } = await enrolled(await signedIn(user));
    for (const code of [codeOf(seed), ...recoveryCodes.slice(0, 2)]) {
      const answer = await newClient().post('/app/api/sign-in', { email: user.email, password: PASSWORD, code });
      expect(answer.status).toBe(200);
    }
    const entries: { after: unknown }[] = await booted.database.dataSource.query(
      `SELECT after FROM gateway.audit_entry WHERE organization_id = $1 AND action = 'user.signed-in' ORDER BY sequence`,
      [user.organizationId],
    );
    expect(entries.map(({ after }) => after)).toEqual([
      { role: 'OWNER', secondFactor: 'none' },
      { role: 'OWNER', secondFactor: 'time-code' },
      { role: 'OWNER', secondFactor: 'recovery-code', recoveryCodesLeft: 9 },
      { role: 'OWNER', secondFactor: 'recovery-code', recoveryCodesLeft: 8 },
    ]);
  });

  it('has ten attempts, and then waits, whoever knows the password', async () => {
    const user = await makeMember(booted.database);
    const page = await signedIn(user);
    const { seed } = await enrolled(page);
    const attempt = (code: string, client = newClient()): Promise<AppAnswer> =>
      client.post('/app/api/sign-in', { email: user.email, password: PASSWORD, code });
    for (let index = 0; index < 10; index++) expect((await attempt('123')).status).toBe(401);
    expect(shown(await attempt(codeOf(seed)))).toEqual([429, 'RATE_LIMITED']);
    // The person's own browser is not held up by others.
    page.cookie = null;
    expect((await attempt(codeOf(seed), page)).status).toBe(200);
  });

  it('has no more attempts however many browsers knew the account before, or know it now', async () => {
    const user = await makeMember(booted.database);
    const [page, ...former] = await Promise.all([signedIn(user), signedIn(user), signedIn(user), signedIn(user)]);
    const { seed, recoveryCodes } = await enrolled(page);
    const attempt = (code: string, client: AppClient): Promise<AppAnswer> => {
      client.cookie = null;
      return client.post('/app/api/sign-in', { email: user.email, password: PASSWORD, code });
    };
    const wrongOnes = async (clients: readonly AppClient[]): Promise<number[]> => {
      const statuses: number[] = [];
      for (let index = 0; index < 12; index++) {
        statuses.push((await attempt('123', clients[index % clients.length] ?? page)).status);
      }
      return statuses;
    };
    const other = newClient();
    expect((await attempt(recoveryCodes[0] ?? '', other)).status).toBe(200);
    const tenOnly = [...Array.from({ length: 10 }, () => 401), 429, 429];
    expect(await wrongOnes(former)).toEqual(tenOnly);
    expect((await attempt(codeOf(seed), page)).status).toBe(200);
    expect(await wrongOnes([page, other])).toEqual(tenOnly);
  });

  it('is changed by password and code alone, and lost ones are taken away by an operator', async () => {
    const user = await makeMember(booted.database);
    const page = await signedIn(user);
    const proof = (password: string, code: string) => ({ password, code });
    expect(shown(await page.post('/app/api/second-factor/disable', proof(PASSWORD, '123456')))).toEqual([
      409,
      'CONFLICT',
    ]);
    const { seed, recoveryCodes } = await enrolled(page);
    expect(shown(await page.post('/app/api/second-factor', { password: PASSWORD }))).toEqual([409, 'CONFLICT']);
    const [a = '', b = ''] = recoveryCodes;
    expect(shown(await page.post('/app/api/second-factor/disable', proof('wrong', a)))).toEqual([
      400,
      'VALIDATION_FAILED',
    ]);
    const renewed = await page.post('/app/api/second-factor/recovery-codes', proof(PASSWORD, a));
    expect(renewed.body?.['recoveryCodes']).toHaveLength(10);
    expect(shown(await page.post('/app/api/second-factor/disable', proof(PASSWORD, b)))).toEqual([
      401,
      'SECOND_FACTOR_INVALID',
    ]);
    expect((await page.post('/app/api/second-factor/disable', proof(PASSWORD, codeOf(seed)))).status).toBe(204);
    expect((await newClient().post('/app/api/sign-in', user)).status).toBe(200);
    await enrolled(page);
    expect(await operate(booted.superuser, 'operator').resetSecondFactor(user.email)).toBe(1);
    expect((await page.get('/app/api/session')).status).toBe(401);
    expect((await newClient().post('/app/api/sign-in', user)).status).toBe(200);
    expect(await auditOf(user.organizationId)).toEqual([
      'user.second-factor-enabled',
      'user.recovery-codes-renewed',
      'user.second-factor-failed',
      'user.second-factor-disabled',
      'user.second-factor-enabled',
      'user.second-factor-reset',
    ]);
  });

  it('is required by the owner of an organization, and until then members can enrol and nothing else', async () => {
    const owner = await makeMember(booted.database);
    const admin = await makeMember(booted.database, 'ADMIN', owner.organizationId);
    const [ownerPage, page] = await Promise.all([signedIn(owner), signedIn(admin)]);
    const change = (by: AppClient, isSecondFactorRequired: boolean): Promise<AppAnswer> =>
      by.ask('PATCH', '/app/api/organization', { isSecondFactorRequired });
    expect(shown(await change(page, true))).toEqual([403, 'FORBIDDEN']);
    await enrolled(ownerPage);
    expect((await change(ownerPage, true)).body).toMatchObject({ isSecondFactorRequired: true });
    expect((await ownerPage.get('/app/api/members')).status).toBe(200);
    const refused = [
      await page.get('/app/api/members'),
      await page.get('/app/api/organization'),
      await page.post('/app/api/api-keys', { label: 'x' }),
      await page.post('/app/api/password', { current: PASSWORD, new: 'a quite different sentence' }),
    ];
    for (const answer of refused) expect(shown(answer)).toEqual([403, 'SECOND_FACTOR_ENROLMENT_REQUIRED']);
    expect((await page.get('/app/api/session')).body?.['secondFactor']).toEqual({ isEnabled: false, isRequired: true });
    const later = await signedIn(admin);
    expect(shown(await later.get('/app/api/members'))).toEqual([403, 'SECOND_FACTOR_ENROLMENT_REQUIRED']);
    await enrolled(later);
    expect((await later.get('/app/api/members')).status).toBe(200);
    expect((await change(ownerPage, false)).status).toBe(200);
  });
});
