import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { AppClient, eventually, testServers, type AppAnswer } from '@switchboard/testing';
import { mountedRoutes } from '../src/routes.js';
import { bootGateway, type TestGateway } from './gateway-harness.js';
import { makeMember, sendHead } from './people-harness.js';

const servers = testServers();
let booted: TestGateway;

beforeAll(async () => {
  // Longer than any of the bodies below is held.
  booted = await bootGateway(servers, { GATEWAY_REQUEST_TIMEOUT_MS: '300000' });
});

async function clientOf(user: { email: string; password: string }): Promise<AppClient> {
  const client = new AppClient(booted.gateway.url);
  await client.signIn(user);
  return client;
}

const ping = async (secret: unknown): Promise<number> => {
  const headers = { authorization: `Bearer ${String(secret)}` };
  return (await fetch(`${booted.gateway.url}/v1/ping`, { headers })).status;
};
const refusal = ({ status, body }: AppAnswer): unknown => [status, body?.error?.code];

describe('what takes no body', () => {
  const routes: readonly (readonly [string, string, number])[] = [
    ['DELETE', '/app/api/invites/:id', 404],
    ['DELETE', '/app/api/members/:id', 404],
    ['DELETE', '/app/api/sessions/:id', 404],
    ['POST', '/app/api/api-keys/:id/revoke', 404],
    ['POST', '/app/api/sign-out', 204],
    ['POST', '/app/api/sign-out-everywhere', 204],
  ];
  /** Their services answer them; what is checked before is the same for all. */
  const ofServices = /^\/app\/api\/(channels|contacts|opt-outs|templates|webhooks)\//;

  it.each(routes)('%s %s is not refused for naming JSON and bringing none', async (method, path, status) => {
    const client = await clientOf(await makeMember(booted.database));
    const json = { 'content-type': 'application/json' };
    const answer = await client.ask(method, path.replace(':id', newCuid()), undefined, json);
    expect([answer.status, answer.body?.error?.code]).toEqual([
      status,
      status === 404 ? expect.any(String) : undefined,
    ]);
  });

  it('is every route of the application that acts and describes no body', async () => {
    const bodyless = (await mountedRoutes()).filter(
      ({ method, declaration: { access, docs } }) =>
        method !== 'GET' && method !== 'HEAD' && (access === 'session' || access === 'visitor') && !docs?.body,
    );
    const own = bodyless.filter(({ path }) => !ofServices.test(path));
    expect(own.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      routes.map(([method, path]) => `${method} ${path}`),
    );
  });
});

describe('/app/api/api-keys', () => {
  it('makes a key whose secret is shown once, lists it, and ends it; who, where and under which trace is in the log', async () => {
    const admin = await makeMember(booted.database, 'ADMIN');
    const client = await clientOf(admin);
    const made = await client.post('/app/api/api-keys', { label: 'Till', scopes: ['contacts:read'] });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ label: 'Till', scopes: ['contacts:read'], status: 'ACTIVE', hint: null });
    expect(made.body?.['createdBy']).toEqual({ id: admin.id, email: admin.email });
    const { id = '', secret } = made.body ?? {};
    const askedAt = Date.now();
    expect(await ping(secret)).toBe(200);
    const used = await eventually(async () => {
      const [key] = (await client.get('/app/api/api-keys')).body?.items ?? [];
      return typeof key?.['lastUsedAt'] === 'string' ? key : undefined;
    });
    expect(used).toMatchObject({ id, lastUsedAddress: '127.0.0.1' });
    const usedAt = Date.parse(String(used['lastUsedAt']));
    expect([usedAt >= askedAt, usedAt <= Date.now()]).toEqual([true, true]);
    expect(used).not.toHaveProperty('secret');

    const revoked = await client.post(`/app/api/api-keys/${id}/revoke`);
    expect([revoked.status, revoked.body?.['status']]).toEqual([200, 'REVOKED']);
    expect(await ping(secret)).toBe(401);
    expect((await client.post(`/app/api/api-keys/${id}/revoke`)).body).toEqual(revoked.body);
    const log = (await client.get('/app/api/audit-log')).body?.items ?? [];
    const acts = log.filter(({ action }) => String(action).startsWith('api-key.'));
    expect(acts).toEqual([
      expect.objectContaining({ action: 'api-key.revoked', traceId: revoked.headers.get('x-request-id') }),
      expect.objectContaining({
        action: 'api-key.created',
        actor: { type: 'user', id: admin.id, email: admin.email },
        address: '127.0.0.1',
        traceId: made.headers.get('x-request-id'),
        before: null,
        after: expect.objectContaining({ id, label: 'Till' }),
      }),
    ]);
    expect(JSON.stringify([log, booted.log.lines])).not.toContain(String(secret).slice(12));
  });

  it('makes one key of a request that is repeated with its Idempotency-Key: the secret of the lost answer is replaced', async () => {
    const client = await clientOf(await makeMember(booted.database));
    const create = (body: object, key = 'lost'): Promise<AppAnswer> =>
      client.ask('POST', '/app/api/api-keys', body, { 'idempotency-key': key });
    const body = { label: 'Till', scopes: ['contacts:read'] };
    const [lost, again] = [await create(body), await create({ scopes: ['contacts:read'], label: 'Till' })];
    expect([lost.status, lost.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(again.body).toMatchObject({ ...body, id: lost.body?.['id'], createdAt: lost.body?.['createdAt'] });
    expect([await ping(lost.body?.['secret']), await ping(again.body?.['secret'])]).toEqual([401, 200]);
    const log = (await client.get('/app/api/audit-log')).body?.items ?? [];
    const acts = log.map(({ action }) => action).filter((action) => String(action).startsWith('api-key.'));
    expect(acts).toEqual(['api-key.secret-renewed', 'api-key.created']);

    expect(refusal(await create({ ...body, label: 'Shop' }))).toEqual([409, 'CONFLICT']);
    await eventually(async () => (await client.get('/app/api/api-keys')).body?.items?.[0]?.['lastUsedAt'] !== null);
    const used = await create(body);
    expect(refusal(used)).toEqual([409, 'CONFLICT']);
    expect(used.body?.error?.message).toContain(lost.body?.['id']);
    expect(await ping(again.body?.['secret'])).toBe(200);

    expect(refusal(await create({ label: '' }, 'malformed'))).toEqual([400, 'VALIDATION_FAILED']);
    expect((await create(body, 'malformed')).status).toBe(201);
    const foreign = await clientOf(await makeMember(booted.database));
    const other = await foreign.ask('POST', '/app/api/api-keys', body, { 'idempotency-key': 'lost' });
    expect([other.status, other.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect((await client.get('/app/api/api-keys')).body?.items).toHaveLength(2);
  });

  it.each(['created', 'renewed'])(
    'is not renewed by a request that began before its secret was made (%s): the caller may have the answer with that',
    async (how) => {
      const client = await clientOf(await makeMember(booted.database));
      const create = (): Promise<AppAnswer> =>
        client.ask('POST', '/app/api/api-keys', { label: 'x' }, { 'idempotency-key': 'slow' });
      const made = await create();
      const renewed = how === 'created' ? made : await create();
      const move = async (column: string, by: string): Promise<unknown> =>
        booted.database.dataSource.query(
          `UPDATE gateway.api_key SET ${column} = ${column} + interval '${by}' WHERE id = $1`,
          [made.body?.['id']],
        );
      await move('created_at', '1 hour'); // by the clock of a gateway that is ahead: it counts for nothing
      await move('renewed_at', '1 minute');
      const slow = await create();
      expect([refusal(slow), slow.headers.get('retry-after')]).toEqual([[409, 'CONFLICT'], '1']);
      expect(slow.body?.error?.message).toContain(made.body?.['id']);
      await move('renewed_at', '-2 minutes');
      // Begun behind the other one.
      const again = await create();
      expect([again.status, again.body?.['id']]).toEqual([201, made.body?.['id']]);
      expect([await ping(renewed.body?.['secret']), await ping(again.body?.['secret'])]).toEqual([401, 200]);
    },
  );

  it('makes one key of a request that is sent several times at once, and one of the answers opens', async () => {
    const client = await clientOf(await makeMember(booted.database));
    const headers = { 'idempotency-key': 'at once' };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => client.ask('POST', '/app/api/api-keys', { label: 'x' }, headers)),
    );
    const created = answers.filter(({ status }) => status === 201);
    expect(new Set(created.map(({ body }) => body?.['id'])).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect([refusal(answer), answer.headers.get('retry-after')]).toEqual([[409, 'CONFLICT'], '1']);
    const opened = await Promise.all(created.map(({ body }) => ping(body?.['secret'])));
    expect(opened.filter((status) => status === 200)).toHaveLength(1);
  });

  it('is for owners and admins: a member neither sees nor changes keys, nor reads the log', async () => {
    const owner = await makeMember(booted.database, 'OWNER');
    const { id } = (await (await clientOf(owner)).post('/app/api/api-keys', { label: 'x' })).body ?? {};
    const member = await clientOf(await makeMember(booted.database, 'MEMBER', owner.organizationId));
    for (const answer of [
      await member.get('/app/api/api-keys'),
      await member.post('/app/api/api-keys', { label: 'mine' }),
      await member.post(`/app/api/api-keys/${id}/revoke`),
      await member.get('/app/api/audit-log'),
    ]) {
      expect(refusal(answer)).toEqual([403, 'FORBIDDEN']);
    }
    const anonymous = new AppClient(booted.gateway.url);
    expect(refusal(await anonymous.get('/app/api/api-keys'))).toEqual([401, 'UNAUTHORIZED']);
    const { items } = (await (await clientOf(owner)).get('/app/api/api-keys')).body ?? {};
    expect(items?.map(({ label, status }) => [label, status])).toEqual([['x', 'ACTIVE']]);
  });

  it('knows no key of another organization', async () => {
    const [mine, foreign] = [
      await clientOf(await makeMember(booted.database)),
      await clientOf(await makeMember(booted.database)),
    ];
    const { id, secret } = (await mine.post('/app/api/api-keys', { label: 'mine' })).body ?? {};
    for (const [client, target] of [
      [foreign, id],
      [mine, newCuid()],
    ] as const) {
      expect(refusal(await client.post(`/app/api/api-keys/${target}/revoke`))).toEqual([404, 'API_KEY_NOT_FOUND']);
    }
    expect((await foreign.get('/app/api/api-keys')).body?.items).toEqual([]);
    expect(await ping(secret)).toBe(200);
  });

  it.each([
    [{}, 'label'],
    [{ label: '' }, 'label'],
    [{ label: '🛒'.repeat(101) }, 'label'],
    [{ label: 7 }, 'label'],
    [{ label: 'x', scopes: [] }, 'scopes'],
    [{ label: 'x', scopes: ['contacts:read', 'contacts:read'] }, 'scopes'],
    [{ label: 'x', scopes: ['contacts:own'] }, 'scopes'],
    [{ label: 'x', scopes: ['contacts:read', null] }, 'scopes'],
    [{ label: 'x', scopes: 'contacts:read' }, 'scopes'],
    [{ label: 'x', scopes: { length: 1 } }, 'scopes'],
  ])('refuses %j by naming `%s`, and nothing is stored', async (body, field) => {
    const client = await clientOf(await makeMember(booted.database));
    const answer = await client.post('/app/api/api-keys', body);
    expect(refusal(answer)).toEqual([400, 'VALIDATION_FAILED']);
    expect(answer.body?.error?.message).toContain(`\`${field}\``);
    expect((await client.get('/app/api/api-keys')).body?.items).toEqual([]);
    expect((await client.get('/app/api/audit-log?action=api-key.created')).body?.items).toEqual([]);
  });

  it('takes labels at their bounds, and all scopes by none or null', async () => {
    const client = await clientOf(await makeMember(booted.database));
    for (const body of [{ label: 'x' }, { label: '🛒'.repeat(100), scopes: null }]) {
      expect((await client.post('/app/api/api-keys', body)).body).toMatchObject({ label: body.label, scopes: null });
    }
  });
});

describe('a request that was let in and holds its body back', () => {
  const acts = async () => {
    const { database, gateway } = booted;
    const owner = await makeMember(database);
    const admin = await makeMember(database, 'ADMIN', owner.organizationId);
    const member = await makeMember(database, 'MEMBER', owner.organizationId);
    const [ownerPage, adminPage] = [await clientOf(owner), await clientOf(admin)];
    const { id: keyId = '', secret } = (await ownerPage.post('/app/api/api-keys', { label: 'kept' })).body ?? {};
    const ask = (method: string, path: string) =>
      sendHead(database, adminPage, { url: gateway.url, method, path: `/app/api/${path}`, userId: admin.id });
    const held: readonly (readonly [() => Promise<(body: unknown) => Promise<number>>, unknown])[] = [
      [() => ask('POST', 'api-keys'), { label: 'too late' }],
      [() => ask('POST', `api-keys/${keyId}/revoke`), {}],
      [() => ask('POST', 'invites'), { email: 'late@people.example', role: 'ADMIN' }],
      [() => ask('PATCH', `members/${member.membershipId}`), { role: 'ADMIN' }],
      [() => ask('POST', 'sign-out'), {}],
      [() => ask('POST', 'sign-out-everywhere'), {}],
    ];
    return { owner, admin, ownerPage, adminPage, secret, held };
  };

  it.each([
    ['the member was removed', (team) => team.ownerPage.ask('DELETE', `/app/api/members/${team.admin.membershipId}`)],
    ['the session signed out', (team) => team.adminPage.post('/app/api/sign-out')],
    [
      'the session went on under another secret',
      (team) => team.adminPage.post('/app/api/switch-organization', { organizationId: team.admin.organizationId }),
    ],
  ] as readonly (readonly [string, (team: Awaited<ReturnType<typeof acts>>) => Promise<AppAnswer>])[])(
    'does nothing once it is answered that %s',
    async (_what, end) => {
      const team = await acts();
      const sends = [];
      for (const [open, body] of team.held) sends.push([await open(), body] as const);
      expect([200, 204]).toContain((await end(team)).status);
      const statuses = [];
      for (const [send, body] of sends) statuses.push(await send(body));
      expect(statuses).toEqual(sends.map(() => 401));
      const { items } = (await team.ownerPage.get('/app/api/api-keys')).body ?? {};
      expect([items?.map(({ label }) => label), await ping(team.secret)]).toEqual([['kept'], 200]);
      expect((await team.ownerPage.get('/app/api/invites')).body?.items).toEqual([]);
    },
  );
});

describe('/app/api/audit-log', () => {
  it('is read in pages, newest first, of one kind when asked, and refuses a kind that it does not know', async () => {
    const client = await clientOf(await makeMember(booted.database));
    for (const label of ['1', '2', '3']) await client.post('/app/api/api-keys', { label });
    const path = '/app/api/audit-log?action=api-key.created&limit=2';
    const first = await client.get(path);
    const second = await client.get(`${path}&cursor=${String(first.body?.['nextCursor'])}`);
    const labels = [first, second].flatMap(({ body }) => body?.items ?? []).map(({ after }) => Object(after).label);
    expect(labels).toEqual(['3', '2', '1']);
    expect(second.body).not.toHaveProperty('nextCursor');
    expect((await client.get('/app/api/audit-log?action=api-key.revoked')).body?.items).toEqual([]);
    const [{ actor, at } = {}] = first.body?.items ?? [];
    const ofActor = `${path}&actor=${String(Object(actor).id)}`;
    const count = async (query: string): Promise<number> => ((await client.get(query)).body?.items ?? []).length;
    expect([await count(ofActor), await count(`${path}&actor=somebody`)]).toEqual([2, 0]);
    expect(await count(`${path}&until=2020-01-01`)).toBe(0);
    expect(await count(`${ofActor}&since=${String(at)}`)).toBeGreaterThan(0);
    const wrong = await client.get('/app/api/audit-log?since=yesterday');
    expect([wrong.status, wrong.body?.error?.message]).toEqual([400, expect.stringContaining('`since`')]);
    const unknown = await client.get('/app/api/audit-log?action=api-key.lost');
    expect([unknown.status, unknown.body?.error?.message]).toEqual([400, expect.stringContaining('`action`')]);
  });
});
