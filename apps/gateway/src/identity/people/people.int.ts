import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '@switchboard/postgres';
import { createLog } from '@switchboard/platform';
import { FakeClock, testServers, type ServiceDatabase } from '@switchboard/testing';
import { openIdentity } from '../../../test/identity-harness.js';
import { makeMember, makeOrganization, PASSWORD } from '../../../test/people-harness.js';
import { gatewayMigrations } from '../../migrations/all.js';
import { PEOPLE, type People } from '../people.contract.js';
import type { NewSession, Role } from '../signed-in.contract.js';
import { FailedSignIns } from '../audit/failed-sign-ins.js';

const HOUR_MS = 3_600_000;
const servers = testServers();
const source = { address: '192.0.2.1', traceId: '0'.repeat(32) };
const clock = new FakeClock();
const log = createLog('test', { write: () => undefined });

let prepared: ServiceDatabase;
let database: Database;
let people: People;
let failures: FailedSignIns;

beforeAll(async () => {
  prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
  database = await prepared.database();
  const identity = await openIdentity(servers, database, clock, log);
  people = identity.get(PEOPLE);
  failures = identity.get(FailedSignIns);
});

const signIn = ({ email, password }: { email: string; password: string }): Promise<NewSession> =>
  people.signIn.signIn({ email, password, formerSecret: null }, source);
const codeOf = async (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: { code?: string }) => error.code,
  );
const count = async (table: string, where: string, value: unknown): Promise<number> =>
  (await database.dataSource.query(`SELECT 1 FROM gateway.${table} WHERE ${where} = $1`, [value])).length;

describe('members', () => {
  const demote = (actor: NewSession, id: string, role: Role = 'MEMBER'): Promise<string | undefined> =>
    codeOf(people.members.changeRole(actor.signedIn, { id, role }, source));

  it('keep an owner, whoever demotes or removes whom at once', async () => {
    for (let round = 0; round < 10; round++) {
      const first = await makeMember(database);
      const second = await makeMember(database, 'OWNER', first.organizationId);
      const [a, b] = [await signIn(first), await signIn(second)];
      const outcomes = await Promise.all([
        demote(a, first.membershipId),
        round % 2 === 0
          ? demote(b, second.membershipId)
          : codeOf(people.members.remove(b.signedIn, second.membershipId, source)),
      ]);
      expect(outcomes.sort()).toEqual(['CONFLICT', undefined]);
      const owners = await database.dataSource.query(
        "SELECT 1 FROM gateway.membership WHERE organization_id = $1 AND role = 'OWNER'",
        [first.organizationId],
      );
      expect(owners).toHaveLength(1);
    }
  });

  it('of whom two remove each other at once leave one, who has done it', async () => {
    const first = await makeMember(database);
    const second = await makeMember(database, 'OWNER', first.organizationId);
    const [a, b] = [await signIn(first), await signIn(second)];
    const outcomes = await Promise.all([
      codeOf(people.members.remove(a.signedIn, second.membershipId, source)),
      codeOf(people.members.remove(b.signedIn, first.membershipId, source)),
    ]);
    expect(outcomes.sort()).toEqual(['UNAUTHORIZED', undefined]);
    expect(await count('membership', 'organization_id', first.organizationId)).toBe(1);
  });

  it('act in a session that stands now, not by the role that their request came with', async () => {
    const owner = await makeMember(database);
    const admin = await makeMember(database, 'ADMIN', owner.organizationId);
    const victim = await makeMember(database, 'MEMBER', owner.organizationId);
    const [a, b] = [await signIn(owner), await signIn(admin)];
    expect(await demote(a, admin.membershipId)).toBeUndefined();
    expect(await demote(b, victim.membershipId, 'ADMIN')).toBe('UNAUTHORIZED');
    const invite = { email: 'x@people.example', role: 'MEMBER' } as const;
    expect(await codeOf(people.invites.create(b.signedIn, invite, source))).toBe('UNAUTHORIZED');
  });

  it('and invitations never take more seats than the plan has, however many are made at once', async () => {
    const owner = await makeMember(database, 'OWNER', await makeOrganization(database, { seats: 4 }));
    const session = await signIn(owner);
    const invite = (index: number): Promise<string | undefined> =>
      codeOf(people.invites.create(session.signedIn, { email: `s${index}@people.example`, role: 'MEMBER' }, source));
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, index) => invite(index)));
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(3);
    expect(outcomes.filter((code) => code === 'PAYMENT_REQUIRED')).toHaveLength(5);
    // Seats of invitations that expired are free again.
    clock.advance(7 * 24 * HOUR_MS);
    expect(await invite(9)).toBeUndefined();
  });
});

describe('an invitation', () => {
  const inviteBy = async (email: string): Promise<{ readonly secret: string; readonly organizationId: string }> => {
    const owner = await makeMember(database);
    const { signedIn } = await signIn(owner);
    const { secret } = await people.invites.create(signedIn, { email, role: 'ADMIN' }, source);
    return { secret, organizationId: owner.organizationId };
  };
  const accept = (secret: string, password = PASSWORD): Promise<NewSession> =>
    people.invites.accept({ secret, name: null, password, formerSecret: null }, source);

  it('is good once, also for many at once, and makes one account', async () => {
    const { secret, organizationId } = await inviteBy('once@people.example');
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => codeOf(accept(secret))));
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(1);
    for (const code of outcomes) expect([undefined, 'NOT_FOUND', 'CONFLICT']).toContain(code);
    expect(await count('user_account', 'email', 'once@people.example')).toBe(1);
    expect(await count('membership', 'organization_id', organizationId)).toBe(2);
  });

  it('is good for seven days', async () => {
    const { secret } = await inviteBy('late@people.example');
    clock.advance(7 * 24 * HOUR_MS);
    expect(await codeOf(accept(secret))).toBe('NOT_FOUND');
    const again = await inviteBy('intime@people.example');
    clock.advance(7 * 24 * HOUR_MS - 1);
    expect((await accept(again.secret)).signedIn.role).toBe('ADMIN');
  });

  it('lies in the database as a hash, and so does the secret of a session', async () => {
    const { secret } = await inviteBy('hash@people.example');
    const session = await accept(secret);
    const superuser = await prepared.superuser();
    const tables = ['invite', 'session', 'user_account', 'login_throttle'];
    const rows = await Promise.all(
      tables.map((table) => superuser.dataSource.query(`SELECT t::text FROM gateway.${table} t`)),
    );
    const text = JSON.stringify(rows);
    for (const one of [secret, session.secret, PASSWORD]) {
      expect(text).not.toContain(one);
      expect(text).not.toContain(Buffer.from(one).toString('hex'));
    }
  });
});

describe('the audit log', () => {
  it('has every act of people, with what was before and after, and no secret', async () => {
    const owner = await makeMember(database);
    const { organizationId } = owner;
    const first = await signIn(owner);
    await codeOf(signIn({ ...owner, password: 'wrong' }));
    await failures.drain();
    const change = { current: PASSWORD, next: `${PASSWORD}!` };
    const { signedIn } = await people.signIn.changePassword(first.signedIn, change, source);
    const invited = { email: 'audit@people.example', role: 'MEMBER' } as const;
    await people.invites.create(signedIn, invited, source);
    const invite = await people.invites.create(signedIn, invited, source);
    const taken = { secret: invite.secret, name: null, password: PASSWORD, formerSecret: null };
    const joined = await people.invites.accept(taken, source);
    const { items } = await people.members.list(organizationId, { limit: 10, cursor: null });
    const id = items.find(({ user }) => user.email === invited.email)?.id ?? '';
    await people.members.changeRole(signedIn, { id, role: 'ADMIN' }, source);
    await people.members.remove(signedIn, id, source);
    const revoked = await people.invites.create(signedIn, { email: 'r@people.example', role: 'ADMIN' }, source);
    await people.invites.revoke(signedIn, revoked.id, source);
    await people.sessions.end(signedIn, source);
    const again = await signIn({ ...owner, password: change.next });
    await people.sessions.endEverywhere(again.signedIn, source);
    const rows: Record<string, unknown>[] = await database.dataSource.query(
      'SELECT * FROM gateway.audit_entry WHERE organization_id = $1 ORDER BY sequence',
      [organizationId],
    );
    const [own, other] = [owner.email, invited.email];
    expect(rows.map((row) => [row['action'], row['actor_email']])).toEqual([
      ['user.signed-in', own],
      ['user.sign-in-failed', own],
      ['user.password-changed', own],
      ['invite.created', own],
      ['invite.revoked', own],
      ['invite.created', own],
      ['invite.accepted', other],
      ['user.signed-in', other],
      ['member.role-changed', own],
      ['member.removed', own],
      ['invite.created', own],
      ['invite.revoked', own],
      ['user.signed-out', own],
      ['user.signed-in', own],
      ['user.signed-out-everywhere', own],
    ]);
    const changed = rows.find((row) => row['action'] === 'member.role-changed');
    expect([changed?.['before'], changed?.['after'], changed?.['address'], changed?.['trace_id']]).toEqual([
      { id, userId: joined.signedIn.user.id, email: other, role: 'MEMBER' },
      { id, userId: joined.signedIn.user.id, email: other, role: 'ADMIN' },
      source.address,
      source.traceId,
    ]);
    const text = JSON.stringify(rows);
    for (const secret of [PASSWORD, first.secret, invite.secret, '$argon2']) expect(text).not.toContain(secret);
  });
});
