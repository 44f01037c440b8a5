import { beforeAll, describe, expect, it } from '@jest/globals';
import { AppClient, type Credentials, testServers, type AppAnswer } from '@switchboard/testing';
import { operate } from '../src/operate.js';
import { bootGateway, type TestGateway } from './gateway-harness.js';
import { join, makeMember, makeOrganization, PASSWORD } from './people-harness.js';

const servers = testServers();
let booted: TestGateway;
let invited = 0;

beforeAll(async () => {
  booted = await bootGateway(servers);
});

const newClient = (): AppClient => new AppClient(booted.gateway.url);
const signedIn = (user: Credentials): Promise<AppClient> => AppClient.signedIn(booted.gateway.url, user);
const shown = ({ status, body }: AppAnswer): unknown => [status, body?.error?.code ?? null];
const newEmail = (): string => `invited-${++invited}@people.example`;
const invite = async (page: AppClient, email: string, role: string): Promise<string> =>
  String((await page.post('/app/api/invites', { email, role })).body?.['token']);
const accept = (token: string, password: string | undefined = PASSWORD, page = newClient()): Promise<AppAnswer> =>
  page.post('/app/api/invites/accept', { token, password });
const auditOf = async (page: AppClient, action: string): Promise<unknown[]> =>
  ((await page.get(`/app/api/audit-log?action=${action}`)).body?.items ?? []).map(({ before }) => before);

describe('an invitation', () => {
  it('dies with the right of its maker: by removal, by demotion, and by a change without an event', async () => {
    const organizationId = await makeOrganization(booted.database);
    const owner = await signedIn(await makeMember(booted.database, 'OWNER', organizationId));
    const member = (id: string): string => `/app/api/members/${id}`;
    const maker = await makeMember(booted.database, 'ADMIN', organizationId);
    const [email, other] = [newEmail(), newEmail()];
    const ofRemoved = await invite(await signedIn(maker), email, 'ADMIN');
    expect((await owner.ask('DELETE', member(maker.membershipId))).status).toBe(204);
    expect(shown(await accept(ofRemoved))).toEqual([404, 'NOT_FOUND']);
    expect((await owner.get('/app/api/invites')).body?.items).toEqual([]);
    expect(await auditOf(owner, 'invite.revoked')).toEqual([expect.objectContaining({ email, role: 'ADMIN' })]);

    const demoted = await makeMember(booted.database, 'OWNER', organizationId);
    const page = await signedIn(demoted);
    const [ofOwner, ofMember] = [await invite(page, email, 'OWNER'), await invite(page, other, 'MEMBER')];
    await owner.ask('PATCH', member(demoted.membershipId), { role: 'ADMIN' });
    // An administrator may still invite members, and no longer owners.
    expect(shown(await accept(ofOwner))).toEqual([404, 'NOT_FOUND']);
    expect((await owner.get('/app/api/invites')).body?.items?.map((one) => one['email'])).toEqual([other]);
    await owner.ask('PATCH', member(demoted.membershipId), { role: 'MEMBER' });
    expect(shown(await accept(ofMember))).toEqual([404, 'NOT_FOUND']);

    const gone = await makeMember(booted.database, 'ADMIN', organizationId);
    const left = await invite(await signedIn(gone), email, 'MEMBER');
    const good = await invite(owner, other, 'MEMBER');
    await booted.database.dataSource.query('DELETE FROM gateway.session WHERE user_id = $1', [gone.id]);
    await booted.database.dataSource.query('DELETE FROM gateway.membership WHERE user_id = $1', [gone.id]);
    expect(shown(await accept(left))).toEqual([404, 'NOT_FOUND']);
    expect((await accept(good)).status).toBe(200);
  });

  it('that has expired keeps no administrator from inviting its address, and was not revoked by who does', async () => {
    const organizationId = await makeOrganization(booted.database);
    const owner = await signedIn(await makeMember(booted.database, 'OWNER', organizationId));
    const admin = await signedIn(await makeMember(booted.database, 'ADMIN', organizationId));
    const email = newEmail();
    const expired = await invite(owner, email, 'OWNER');
    const again = (): Promise<AppAnswer> => admin.post('/app/api/invites', { email, role: 'MEMBER' });
    expect(shown(await again())).toEqual([403, 'FORBIDDEN']);
    const { dataSource } = booted.database;
    await dataSource.query('UPDATE gateway.invite SET expires_at = created_at WHERE email = $1', [email]);
    expect((await again()).status).toBe(201);
    expect(shown(await accept(expired))).toEqual([404, 'NOT_FOUND']);
    expect(await auditOf(owner, 'invite.revoked')).toEqual([]);
  });

  it('says nothing of the accounts of others: to its maker, and to those who try passwords that no account may have', async () => {
    const owner = await signedIn(await makeMember(booted.database));
    const known = await makeMember(booted.database);
    const emails = [known.email, newEmail()];
    const made = await Promise.all(emails.map((email) => owner.post('/app/api/invites', { email, role: 'MEMBER' })));
    const shapes = made.map(({ status, body }) => [status, Object.keys(body ?? {}).sort()]);
    expect(shapes[0]).toEqual(shapes[1]);
    const tokens = made.map(({ body }) => String(body?.['token']));
    for (const password of [undefined, 'short', ...Array.from({ length: 10 }, () => 'too short')]) {
      const answers = await Promise.all(
        tokens.map((token) => newClient().post('/app/api/invites/accept', { token, password })),
      );
      expect([answers[0]?.status, answers[0]?.body]).toEqual([answers[1]?.status, answers[1]?.body]);
    }
  });

  it('of somebody with an account needs its sign-in: its password, or a session of its own', async () => {
    const organizationId = await makeOrganization(booted.database);
    const owner = await signedIn(await makeMember(booted.database, 'OWNER', organizationId));
    const [known, stranger] = [await makeMember(booted.database), await makeMember(booted.database)];
    const token = await invite(owner, known.email, 'MEMBER');
    expect(shown(await accept(token, 'a password of somebody else'))).toEqual([401, 'UNAUTHORIZED']);
    const strange = await signedIn(stranger);
    expect(shown(await strange.post('/app/api/invites/accept', { token }))).toEqual([400, 'VALIDATION_FAILED']);
    const page = await signedIn(known);
    const { cookie } = page;
    const accepted = await page.post('/app/api/invites/accept', { token });
    expect([accepted.status, accepted.body?.['organization']]).toEqual([200, { id: organizationId, name: 'Test' }]);
    const former = newClient();
    former.cookie = cookie;
    expect([(await former.get('/app/api/session')).status, (await page.get('/app/api/session')).status]).toEqual([
      401, 200,
    ]);
  });
});

describe('an account', () => {
  const reset = (email: string, unconfirmed?: 'keep') =>
    operate(booted.superuser, 'operator').resetPassword(email, unconfirmed);

  it('that somebody made for the address of another is given to its owner without what was joined by it', async () => {
    const attacker = await signedIn(
      await makeMember(booted.database, 'OWNER', await makeOrganization(booted.database)),
    );
    const email = newEmail();
    await accept(await invite(attacker, email, 'ADMIN'), 'the password of a squatter');
    const squatter = await signedIn({ email, password: 'the password of a squatter' });
    const left = await invite(squatter, newEmail(), 'MEMBER');
    const { password, left: organizations } = await reset(email);
    expect(organizations).toHaveLength(1);
    expect((await squatter.get('/app/api/session')).status).toBe(401);
    expect(shown(await newClient().post('/app/api/sign-in', { email, password }))).toEqual([403, 'FORBIDDEN']);
    expect(shown(await accept(left))).toEqual([404, 'NOT_FOUND']);
    expect(await auditOf(attacker, 'member.removed')).toEqual([expect.objectContaining({ email, role: 'ADMIN' })]);
    // From now on it is the owner's: what they join stays at the next reset.
    const employer = await signedIn(await makeMember(booted.database));
    expect((await accept(await invite(employer, email, 'MEMBER'), password)).status).toBe(200);
    const again = await reset(email);
    expect(again.left).toEqual([]);
    expect((await newClient().post('/app/api/sign-in', { email, password: again.password })).status).toBe(200);
  });

  it('that somebody made goes by its address after that, until its owner gives a name', async () => {
    const page = await signedIn(await makeMember(booted.database));
    const others = await Promise.all([1, 2].map(async () => signedIn(await makeMember(booted.database))));
    const email = newEmail();
    const join = async (owner: AppClient, name: string | undefined, secret: string): Promise<unknown> => {
      const body = { token: await invite(owner, email, 'MEMBER'), name, password: secret };
      return (await newClient().post('/app/api/invites/accept', body)).body?.['user'];
    };
    expect(await join(page, 'Name of a squatter', PASSWORD)).toMatchObject({ name: 'Name of a squatter' });
    const { password } = await reset(email);
    expect(await join(page, undefined, password)).toMatchObject({ name: email });
    expect(await join(others[0] ?? page, 'Ada', password)).toMatchObject({ name: 'Ada' });
    expect(await join(others[1] ?? page, 'Eve', password)).toMatchObject({ name: 'Ada' });
    await reset(email);
    const members = (await page.get('/app/api/members')).body?.items;
    expect(members).toContainEqual(expect.objectContaining({ user: expect.objectContaining({ email, name: 'Ada' }) }));
  });

  it('keeps what an operator says, and never leaves an organization without an owner', async () => {
    const owner = await makeMember(booted.database);
    const [page, email, heir] = [await signedIn(owner), newEmail(), newEmail()];
    await accept(await invite(page, email, 'MEMBER'));
    expect((await reset(email, 'keep')).left).toEqual([]);
    await accept(await invite(page, heir, 'OWNER'));
    await page.ask('DELETE', `/app/api/members/${owner.membershipId}`);
    const { password, left } = await reset(heir);
    expect(left).toEqual([]);
    expect((await signedIn({ email: heir, password })).cookie).not.toBeNull();
  });

  it('is signed in to where it was used last', async () => {
    const user = await makeMember(booted.database);
    const second = await makeOrganization(booted.database, { name: 'Second' });
    await join(booted.database, second, user.id, 'MEMBER');
    const page = await signedIn(user);
    expect((await page.get('/app/api/session')).body?.['organization']).toMatchObject({ id: user.organizationId });
    await page.post('/app/api/switch-organization', { organizationId: second });
    await page.post('/app/api/sign-out');
    expect((await page.signIn(user)).body?.['organization']).toMatchObject({ id: second });
  });
});
