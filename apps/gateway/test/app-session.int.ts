import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { systemClock } from '@switchboard/platform';
import { AppClient, type Credentials, testServers } from '@switchboard/testing';
import { bootGateway, issueKey, type TestGateway } from './gateway-harness.js';
import { join, makeMember, makeOrganization, PASSWORD } from './people-harness.js';

const servers = testServers();
let booted: TestGateway;

beforeAll(async () => {
  booted = await bootGateway(servers);
});

const newClient = (): AppClient => new AppClient(booted.gateway.url);
const signedIn = (user: Credentials): Promise<AppClient> => AppClient.signedIn(booted.gateway.url, user);
const sessionsOf = async (userId: string): Promise<number> =>
  (await booted.database.dataSource.query('SELECT 1 FROM gateway.session WHERE user_id = $1', [userId])).length;

describe('signing in', () => {
  it('gives a session in a cookie that scripts and other sites do not get, and shows the person', async () => {
    const user = await makeMember(booted.database, 'ADMIN');
    const client = newClient();
    const answer = await client.signIn({ ...user, email: user.email.toUpperCase() });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^switchboard_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^switchboard_device=[\w-]{76}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(answer.body).toEqual({
      user: { id: user.id, email: user.email, name: expect.any(String) },
      organization: { id: user.organizationId, name: 'Test' },
      role: 'ADMIN',
      secondFactor: { isEnabled: false, isRequired: false },
      csrfToken: expect.stringMatching(/^[\w-]{43}$/),
      organizations: [{ id: user.organizationId, name: 'Test', role: 'ADMIN' }],
    });
    expect((await client.get('/app/api/session')).body).toEqual(answer.body);
    const [stored] = await booted.database.dataSource.query('SELECT * FROM gateway.session WHERE user_id = $1', [
      user.id,
    ]);
    expect(JSON.stringify(stored)).not.toContain(client.cookie?.split('=')[1]);
  });

  it('answers an unknown address as a wrong password, and stores nothing', async () => {
    const user = await makeMember(booted.database);
    const attempts = [
      { email: user.email, password: `${PASSWORD}!` },
      { email: 'unknown@people.example', password: PASSWORD },
    ];
    for (const attempt of attempts) {
      const client = newClient();
      const answer = await client.post('/app/api/sign-in', attempt);
      expect([answer.status, answer.body]).toEqual([
        401,
        { error: { code: 'UNAUTHORIZED', message: 'Wrong email or password' } },
      ]);
      expect(answer.headers.get('www-authenticate')).toBe('Cookie');
      expect(client.cookie).toBeNull();
    }
    expect(await sessionsOf(user.id)).toBe(0);
  });

  it('names the field of bad input', async () => {
    const ask = async (body: unknown): Promise<unknown> => {
      const answer = await newClient().post('/app/api/sign-in', body);
      return [answer.status, answer.body?.error?.message];
    };
    expect(await ask({ email: 'x', password: 'y' })).toEqual([400, expect.stringContaining('`email`')]);
    expect(await ask({ email: 'a@b.example' })).toEqual([400, expect.stringContaining('`password`')]);
    expect(await ask({ email: ['a@b.example'], password: {} })).toEqual([
      400,
      expect.stringMatching(/email.*password/),
    ]);
    expect(await ask('{')).toEqual([400, 'The body is not well-formed JSON']);
  });

  it('never takes over a secret that the browser brought along, and ends the session that it was of', async () => {
    const user = await makeMember(booted.database);
    const planted = newClient();
    planted.cookie = `switchboard_session=${'A'.repeat(43)}`;
    await planted.signIn(user);
    expect(planted.cookie).not.toContain('AAAA');
    const former = planted.cookie;
    await planted.signIn(user);
    expect(planted.cookie).not.toBe(former);
    const left = newClient();
    left.cookie = former;
    expect((await left.get('/app/api/session')).status).toBe(401);
    expect(await sessionsOf(user.id)).toBe(1);
  });

  it('of somebody who belongs nowhere any more is refused after the password was right', async () => {
    const user = await makeMember(booted.database);
    await booted.database.dataSource.query('DELETE FROM gateway.membership WHERE user_id = $1', [user.id]);
    expect((await newClient().post('/app/api/sign-in', user)).status).toBe(403);
  });
});

describe('a session', () => {
  it('ends at sign-out, and its cookie with it', async () => {
    const user = await makeMember(booted.database);
    const client = await signedIn(user);
    const { cookie } = client;
    // As clients do that name the type with every request.
    const answer = await client.ask('POST', '/app/api/sign-out', undefined, { 'content-type': 'application/json' });
    expect([answer.status, client.cookie]).toEqual([204, null]);
    client.cookie = cookie;
    expect((await client.get('/app/api/session')).status).toBe(401);
    expect(await sessionsOf(user.id)).toBe(0);
  });

  it('ends with all others of the person at sign-out everywhere', async () => {
    const user = await makeMember(booted.database);
    const stranger = await signedIn(await makeMember(booted.database));
    const clients = await Promise.all([signedIn(user), signedIn(user), signedIn(user)]);
    expect((await clients[0].post('/app/api/sign-out-everywhere')).status).toBe(204);
    for (const client of clients) expect((await client.get('/app/api/session')).status).toBe(401);
    expect((await stranger.get('/app/api/session')).status).toBe(200);
  });

  it('goes on in another organization under a new secret; one of others does not exist for it', async () => {
    const user = await makeMember(booted.database);
    const second = await makeOrganization(booted.database, { name: 'Second' });
    await join(booted.database, second, user.id, 'MEMBER');
    const client = await signedIn(user);
    const { cookie, csrfToken } = client;
    const answer = await client.post('/app/api/switch-organization', { organizationId: second });
    expect([answer.status, answer.body?.role, answer.body?.organization]).toEqual([
      200,
      'MEMBER',
      { id: second, name: 'Second' },
    ]);
    expect([client.cookie === cookie, client.csrfToken === csrfToken]).toEqual([false, false]);
    const former = newClient();
    former.cookie = cookie;
    expect((await former.get('/app/api/session')).status).toBe(401);
    const foreign = await makeOrganization(booted.database);
    const refused = await client.post('/app/api/switch-organization', { organizationId: foreign });
    const unknown = await client.post('/app/api/switch-organization', { organizationId: 'c0123456789' });
    expect([refused.status, refused.body]).toEqual([404, unknown.body]);
    expect((await client.get('/app/api/session')).body?.organization).toEqual({ id: second, name: 'Second' });
  });

  it('is left alone with a new secret when the password changes, and all others end', async () => {
    const user = await makeMember(booted.database);
    const [client, other] = await Promise.all([signedIn(user), signedIn(user)]);
    const { cookie } = client;
    const change = (current: string, next: string) => client.post('/app/api/password', { current, new: next });
    const next = 'a new password of mine';
    const refusals = [
      await change('wrong', next),
      await change(PASSWORD, 'short'),
      await change(PASSWORD, user.email),
      await change(PASSWORD, '\u212b'.repeat(257)),
      await change(PASSWORD, 'Password1234'),
      await change(PASSWORD, 'switchboard1'),
      await change(PASSWORD, PASSWORD),
    ];
    expect(refusals.map(({ status, body }) => [status, body?.error?.message])).toEqual([
      [400, '`current` must be your current password'],
      [400, '`new` must be 12 to 256 characters long'],
      [400, '`new` must not be the email address'],
      [400, '`new` must be 12 to 256 characters long'],
      [400, '`new` must not be a common password'],
      [400, '`new` must not be made of your name or that of the product or of your organization'],
      [400, '`new` must not be your current password'],
    ]);
    expect((await other.get('/app/api/session')).status).toBe(200);
    expect((await change(PASSWORD, next)).status).toBe(200);
    expect(client.cookie).not.toBe(cookie);
    expect((await client.get('/app/api/session')).status).toBe(200);
    expect((await other.get('/app/api/session')).status).toBe(401);
    expect((await newClient().post('/app/api/sign-in', user)).status).toBe(401);
    expect((await newClient().post('/app/api/sign-in', { ...user, password: next })).status).toBe(200);
    expect(await sessionsOf(user.id)).toBe(2);
  });

  it('is listed for its person with device and address, and each can be ended from another', async () => {
    const user = await makeMember(booted.database);
    const second = await makeOrganization(booted.database, { name: 'Second' });
    await join(booted.database, second, user.id, 'MEMBER');
    const [page, stranger] = [newClient(), await signedIn(await makeMember(booted.database))];
    const firefox = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
    await page.ask('POST', '/app/api/sign-in', { email: user.email, password: user.password }, firefox);
    const other = await signedIn(user);
    await other.post('/app/api/switch-organization', { organizationId: second });
    const { items = [] } = (await page.get('/app/api/sessions')).body ?? {};
    expect(items).toEqual([
      expect.objectContaining({ organization: { id: second, name: 'Second' }, isCurrent: false }),
      {
        id: expect.stringMatching(/^c/),
        device: 'Firefox on Linux',
        address: '127.0.0.1',
        organization: { id: user.organizationId, name: 'Test' },
        createdAt: expect.stringMatching(/Z$/),
        lastUsedAt: expect.stringMatching(/Z$/),
        isCurrent: true,
      },
    ]);
    const [ofOther, own] = items.map(({ id }) => `/app/api/sessions/${id}`);
    expect((await stranger.ask('DELETE', String(own))).status).toBe(404);
    expect((await page.ask('DELETE', String(ofOther))).status).toBe(204);
    expect([(await other.get('/app/api/session')).status, (await page.get('/app/api/session')).status]).toEqual([
      401, 200,
    ]);
    const ended = await booted.database.dataSource.query(
      `SELECT before ->> 'device' AS device FROM gateway.audit_entry WHERE organization_id = $1 AND action = 'user.session-ended'`,
      [second],
    );
    expect(ended).toEqual([{ device: expect.any(String) }]);
    expect((await page.ask('DELETE', String(own))).status).toBe(204);
    expect(page.cookie).toBeNull();
  });

  it('asks for 600 things at once at most, wherever it goes on, and takes nothing from the others of the person', async () => {
    const user = await makeMember(booted.database);
    const [page, again] = await Promise.all([signedIn(user), signedIn(user)]);
    const answers: Awaited<ReturnType<AppClient['get']>>[] = [];
    const ask = async (): Promise<unknown> =>
      answers.push(...(await Promise.all(Array.from({ length: 50 }, () => page.get('/app/api/session')))));
    // Twenty more come with each second, which a busy machine may take for fifty of them.
    const clock = jest.spyOn(systemClock, 'monotonic').mockReturnValue(systemClock.monotonic());
    while (answers.length < 500) await ask();
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { organizationId } = user;
    expect((await page.post('/app/api/switch-organization', { organizationId })).status).toBe(200);
    const refusal = (): (typeof answers)[number] | undefined => answers.find(({ status }) => status === 429);
    while (answers.length < 1_000 && !refusal()) await ask();
    const refused = refusal();
    expect([refused?.body?.error?.code, Number(refused?.headers.get('retry-after')) >= 1]).toEqual([
      'RATE_LIMITED',
      true,
    ]);
    // Counted apart, it would have had 1,100.
    expect(answers.length).toBeLessThan(700);
    expect((await again.get('/app/api/session')).status).toBe(200);
    clock.mockRestore();
  });

  it('is no key, and a key is no session', async () => {
    const client = await signedIn(await makeMember(booted.database));
    const key = await issueKey(booted.database);
    const authorization = `Bearer ${key.secret}`;
    expect((await client.ask('GET', '/v1/ping')).status).toBe(401);
    expect((await newClient().ask('GET', '/app/api/session', undefined, { authorization })).status).toBe(401);
  });
});

describe('requests of other sites', () => {
  it('are no proof of intent: the origin must be ours and the token the one of the session', async () => {
    const user = await makeMember(booted.database);
    const [client, other] = await Promise.all([signedIn(user), signedIn(user)]);
    const { origin } = new URL(booted.gateway.url);
    const refused: Readonly<Record<string, string | null>>[] = [
      { 'x-csrf-token': null },
      { 'x-csrf-token': '' },
      { 'x-csrf-token': `${client.csrfToken}a` },
      { 'x-csrf-token': other.csrfToken },
      { origin: null },
      { origin: 'null' },
      { origin: 'https://attacker.example' },
      { origin: `${origin}.attacker.example` },
      { origin: 'http://127.0.0.1:1' },
      { origin: null, referer: 'https://attacker.example/' },
      { origin: null, referer: `https://attacker.example/${origin}` },
      { origin: 'https://attacker.example', referer: `${origin}/app` },
    ];
    for (const headers of refused) {
      const answer = await client.ask('POST', '/app/api/sign-out-everywhere', undefined, headers);
      expect([headers, answer.status, answer.body?.error?.code]).toEqual([headers, 403, 'FORBIDDEN']);
    }
    expect((await other.get('/app/api/session')).status).toBe(200);
    const byReferer = { origin: null, referer: `${origin}/app/settings` };
    expect((await client.ask('POST', '/app/api/sign-out', undefined, byReferer)).status).toBe(204);
  });

  it('do not sign in either', async () => {
    const { email, password } = await makeMember(booted.database);
    const answer = await newClient().ask(
      'POST',
      '/app/api/sign-in',
      { email, password },
      { origin: 'https://attacker.example' },
    );
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
  });
});
