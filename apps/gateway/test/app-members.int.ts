import { beforeAll, describe, expect, it } from '@jest/globals';
import { getQuotaRpc } from '@switchboard/contracts/messaging/rpc';
import { AppClient, type Credentials, testServers, type AppAnswer } from '@switchboard/testing';
import { answerRpcs, bootGateway, type TestGateway } from './gateway-harness.js';
import { makeMember, makeOrganization, PASSWORD } from './people-harness.js';

const servers = testServers();
let booted: TestGateway;

beforeAll(async () => {
  booted = await bootGateway(servers);
});

const newClient = (): AppClient => new AppClient(booted.gateway.url);
const signedIn = (user: Credentials): Promise<AppClient> => AppClient.signedIn(booted.gateway.url, user);
const shown = ({ status, body }: AppAnswer): unknown => [status, body?.error?.code ?? null];
/** An owner, an administrator and a member of one organization, each signed in. */
const makeTeam = async () => {
  const organizationId = await makeOrganization(booted.database);
  const [owner, admin, member] = await Promise.all([
    makeMember(booted.database, 'OWNER', organizationId),
    makeMember(booted.database, 'ADMIN', organizationId),
    makeMember(booted.database, 'MEMBER', organizationId),
  ]);
  const clients = await Promise.all([signedIn(owner), signedIn(admin), signedIn(member)]);
  return { organizationId, owner, admin, member, ownerPage: clients[0], adminPage: clients[1], memberPage: clients[2] };
};

describe('members', () => {
  it('are listed in pages, for owners and administrators alone', async () => {
    const { ownerPage, adminPage, memberPage, owner } = await makeTeam();
    const first = await ownerPage.get('/app/api/members?limit=2');
    const second = await adminPage.get(`/app/api/members?limit=2&cursor=${String(first.body?.['nextCursor'])}`);
    const all = [...(first.body?.items ?? []), ...(second.body?.items ?? [])];
    expect([all.length, second.body?.['nextCursor']]).toEqual([3, undefined]);
    expect(all.find(({ id }) => id === owner.membershipId)).toEqual({
      id: owner.membershipId,
      user: { id: owner.id, email: owner.email, name: expect.any(String) },
      role: 'OWNER',
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(shown(await memberPage.get('/app/api/members'))).toEqual([403, 'FORBIDDEN']);
    expect(shown(await ownerPage.get('/app/api/members?limit=0'))).toEqual([400, 'VALIDATION_FAILED']);
  });

  it('lose their sessions there when their role changes, and have the new one when they come back', async () => {
    const { ownerPage, memberPage, member } = await makeTeam();
    const changed = await ownerPage.ask('PATCH', `/app/api/members/${member.membershipId}`, { role: 'ADMIN' });
    expect([changed.status, changed.body?.['role']]).toEqual([200, 'ADMIN']);
    expect((await memberPage.get('/app/api/session')).status).toBe(401);
    expect((await memberPage.signIn(member)).body?.['role']).toBe('ADMIN');
    // The same role again changes nothing.
    expect((await ownerPage.ask('PATCH', `/app/api/members/${member.membershipId}`, { role: 'ADMIN' })).status).toBe(
      200,
    );
    expect((await memberPage.get('/app/api/session')).status).toBe(200);
  });

  it('who change their own role go on under a new secret', async () => {
    const { ownerPage, admin, owner } = await makeTeam();
    const path = (id: string): string => `/app/api/members/${id}`;
    expect((await ownerPage.ask('PATCH', path(admin.membershipId), { role: 'OWNER' })).status).toBe(200);
    const { cookie } = ownerPage;
    expect((await ownerPage.ask('PATCH', path(owner.membershipId), { role: 'MEMBER' })).status).toBe(200);
    expect(ownerPage.cookie).not.toBe(cookie);
    expect((await ownerPage.get('/app/api/session')).body?.['role']).toBe('MEMBER');
    expect(shown(await ownerPage.ask('PATCH', path(owner.membershipId), { role: 'OWNER' }))).toEqual([
      403,
      'FORBIDDEN',
    ]);
  });

  it('are managed by administrators but for owners, and never by those of another organization', async () => {
    const { adminPage, owner, member } = await makeTeam();
    const stranger = await makeTeam();
    const path = (id: string): string => `/app/api/members/${id}`;
    const answers = [
      await adminPage.ask('PATCH', path(owner.membershipId), { role: 'MEMBER' }),
      await adminPage.ask('DELETE', path(owner.membershipId)),
      await adminPage.ask('PATCH', path(member.membershipId), { role: 'OWNER' }),
      await stranger.ownerPage.ask('PATCH', path(member.membershipId), { role: 'ADMIN' }),
      await stranger.ownerPage.ask('DELETE', path(member.membershipId)),
      await stranger.ownerPage.ask('DELETE', path('c0000000000')),
      await adminPage.ask('PATCH', path(member.membershipId), { role: 'SUPERUSER' }),
      await adminPage.ask('DELETE', path(member.membershipId)),
    ];
    expect(answers.map(shown)).toEqual([
      [403, 'FORBIDDEN'],
      [403, 'FORBIDDEN'],
      [403, 'FORBIDDEN'],
      [404, 'NOT_FOUND'],
      [404, 'NOT_FOUND'],
      [404, 'NOT_FOUND'],
      [400, 'VALIDATION_FAILED'],
      [204, null],
    ]);
  });

  it('keep their last owner', async () => {
    const { ownerPage, owner } = await makeTeam();
    const path = `/app/api/members/${owner.membershipId}`;
    expect(shown(await ownerPage.ask('DELETE', path))).toEqual([409, 'CONFLICT']);
    expect(shown(await ownerPage.ask('PATCH', path, { role: 'ADMIN' }))).toEqual([409, 'CONFLICT']);
    expect((await ownerPage.get('/app/api/session')).body?.['role']).toBe('OWNER');
  });
});

describe('an invitation', () => {
  it('makes a member of a new person, who is signed in by accepting it, once', async () => {
    const { adminPage, organizationId } = await makeTeam();
    const email = 'New.Person@people.example';
    const made = await adminPage.post('/app/api/invites', { email, role: 'MEMBER' });
    const token = String(made.body?.['token']);
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^c/),
        email: email.toLowerCase(),
        role: 'MEMBER',
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
        token: expect.stringMatching(/^[\w-]{43}$/),
        link: `${new URL(booted.gateway.url).origin}/app/accept-invite#${token}`,
      },
    ]);
    const listed = await adminPage.get('/app/api/invites');
    expect(listed.body?.items?.map(({ id }) => id)).toEqual([made.body?.id]);
    expect(JSON.stringify(listed.body)).not.toContain(token);
    const page = newClient();
    const accept = (body: object): Promise<AppAnswer> => page.post('/app/api/invites/accept', { token, ...body });
    expect(shown(await accept({ password: 'short' }))).toEqual([400, 'VALIDATION_FAILED']);
    expect(shown(await accept({ password: email.toLowerCase() }))).toEqual([400, 'VALIDATION_FAILED']);
    expect(shown(await accept({}))).toEqual([400, 'VALIDATION_FAILED']);
    const foreign = { origin: 'https://attacker.example' };
    const body = { token, password: PASSWORD };
    expect(shown(await page.ask('POST', '/app/api/invites/accept', body, foreign))).toEqual([403, 'FORBIDDEN']);
    const accepted = await accept({ name: 'New Person', password: PASSWORD });
    expect([accepted.status, accepted.body?.['user'], accepted.body?.['organization']]).toEqual([
      200,
      { id: expect.any(String), email: email.toLowerCase(), name: 'New Person' },
      { id: organizationId, name: 'Test' },
    ]);
    expect((await page.get('/app/api/session')).status).toBe(200);
    expect(shown(await accept({ password: PASSWORD }))).toEqual([404, 'NOT_FOUND']);
    expect((await adminPage.get('/app/api/invites')).body?.items).toEqual([]);
  });

  it('asks those who have an account for its password', async () => {
    const { ownerPage } = await makeTeam();
    const person = await makeMember(booted.database);
    const { body } = await ownerPage.post('/app/api/invites', { email: person.email, role: 'OWNER' });
    const page = newClient();
    const accept = (password: string): Promise<AppAnswer> =>
      page.post('/app/api/invites/accept', { token: body?.['token'], password });
    expect(shown(await accept('another password'))).toEqual([401, 'UNAUTHORIZED']);
    const accepted = await accept(PASSWORD);
    expect([accepted.status, accepted.body?.['organizations']]).toEqual([200, [expect.anything(), expect.anything()]]);
    expect(shown(await ownerPage.post('/app/api/invites', { email: person.email, role: 'MEMBER' }))).toEqual([
      409,
      'CONFLICT',
    ]);
  });

  it('ends when it is taken back or made anew, by those alone who may make it', async () => {
    const { ownerPage, adminPage, memberPage } = await makeTeam();
    const stranger = await makeTeam();
    const invite = (page: AppClient, role: string): Promise<AppAnswer> =>
      page.post('/app/api/invites', { email: 'again@people.example', role });
    const first = await invite(ownerPage, 'OWNER');
    const path = `/app/api/invites/${first.body?.id}`;
    const refused = [
      await memberPage.post('/app/api/invites', { email: 'x@people.example', role: 'MEMBER' }),
      await memberPage.get('/app/api/invites'),
      await adminPage.post('/app/api/invites', { email: 'x@people.example', role: 'OWNER' }),
      await invite(adminPage, 'MEMBER'),
      await adminPage.ask('DELETE', path),
      await stranger.ownerPage.ask('DELETE', path),
    ];
    expect(refused.map(shown)).toEqual([...Array.from({ length: 5 }, () => [403, 'FORBIDDEN']), [404, 'NOT_FOUND']]);
    const second = await invite(ownerPage, 'ADMIN');
    expect(second.status).toBe(201);
    const accept = (answer: AppAnswer): Promise<AppAnswer> =>
      newClient().post('/app/api/invites/accept', { token: answer.body?.['token'], password: PASSWORD });
    expect(shown(await accept(first))).toEqual([404, 'NOT_FOUND']);
    const json = { 'content-type': 'application/json' };
    const revoked = await adminPage.ask('DELETE', `/app/api/invites/${second.body?.id}`, undefined, json);
    expect(revoked.status).toBe(204);
    expect(shown(await accept(second))).toEqual([404, 'NOT_FOUND']);
    expect(shown(await newClient().post('/app/api/invites/accept', { token: 'x', password: PASSWORD }))).toEqual([
      404,
      'NOT_FOUND',
    ]);
  });

  it('needs a seat of the plan', async () => {
    const owner = await makeMember(
      booted.database,
      'OWNER',
      await makeOrganization(booted.database, { plan: 'TRIAL' }),
    );
    const page = await signedIn(owner);
    expect((await page.post('/app/api/invites', { email: 'a@people.example', role: 'MEMBER' })).status).toBe(201);
    const refused = await page.post('/app/api/invites', { email: 'b@people.example', role: 'MEMBER' });
    expect([refused.status, refused.body?.error]).toEqual([
      402,
      {
        code: 'PAYMENT_REQUIRED',
        message: 'The plan has 2 seats, and members and open invitations take all of them',
      },
    ]);
  });
});

describe('the plan', () => {
  it('is shown with the exceptions that were made and, when messaging answers, the usage', async () => {
    const organizationId = await makeOrganization(booted.database, { plan: 'STARTER', seats: 7 });
    const page = await signedIn(await makeMember(booted.database, 'ADMIN', organizationId));
    const plan = {
      plan: 'STARTER',
      subscriptionStatus: 'ACTIVE',
      limits: { requestsPerMinute: 300, requestBurst: 300, messagesPerMonth: 10_000, channels: 2, seats: 7 },
      excludedScopes: ['templates:send'],
      seatsTaken: 1,
    };
    expect((await page.get('/app/api/plan')).body).toEqual({ ...plan, usage: null });
    const nats = await servers.nats();
    await answerRpcs(await nats.connect('messaging'), 'messaging', {
      [getQuotaRpc.subject]: () => ({ month: '2026-01', used: 12 }),
    });
    expect((await page.get('/app/api/plan')).body).toEqual({ ...plan, usage: { month: '2026-01', messages: 12 } });
    const member = await signedIn(await makeMember(booted.database, 'MEMBER', organizationId));
    expect(shown(await member.get('/app/api/plan'))).toEqual([403, 'FORBIDDEN']);
  });
});
