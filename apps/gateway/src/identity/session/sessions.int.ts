import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '@switchboard/postgres';
import { createLog, PruneWorker } from '@switchboard/platform';
import { FakeClock, testServers } from '@switchboard/testing';
import { openIdentity } from '../../../test/identity-harness.js';
import { join, makeMember, makeOrganization, PASSWORD } from '../../../test/people-harness.js';
import { gatewayMigrations } from '../../migrations/all.js';
import { PEOPLE, type People } from '../people.contract.js';
import { oldSessions } from '../prune-sessions/prune-sessions.worker.js';
import type { NewSession } from '../signed-in.contract.js';
import { beginSession } from './begin-session.js';

const MINUTE_MS = 60_000;
const servers = testServers();
const source = { address: '192.0.2.1', traceId: '0'.repeat(32) };
const clock = new FakeClock();
const log = createLog('test', { write: () => undefined });

let database: Database;
let people: People;

beforeAll(async () => {
  database = await (await servers.serviceDatabase('gateway', gatewayMigrations)).database();
  people = (await openIdentity(servers, database, clock, log)).get(PEOPLE);
});

const signIn = ({ email, password }: { email: string; password: string }): Promise<NewSession> =>
  people.signIn.signIn({ email, password, formerSecret: null }, source);
const stands = async ({ secret }: NewSession): Promise<boolean> => (await people.sessions.find(secret)) !== null;
const codeOf = async (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: { code?: string }) => error.code,
  );
const sessionsOf = async (userId: string): Promise<number> =>
  (await database.dataSource.query('SELECT 1 FROM gateway.session WHERE user_id = $1', [userId])).length;

describe('a session', () => {
  it('is begun by the address in any case', async () => {
    const user = await makeMember(database);
    expect((await signIn({ ...user, email: user.email.toUpperCase() })).signedIn.user.email).toBe(user.email);
  });

  it('ends half an hour after its last use, which is written once a minute', async () => {
    const session = await signIn(await makeMember(database));
    const seen = async (): Promise<number> => {
      const [row] = await database.dataSource.query('SELECT last_seen_at AS at FROM gateway.session WHERE id = $1', [
        session.signedIn.sessionId,
      ]);
      return row.at.getTime() - clock.now();
    };
    clock.advance(50_000);
    expect([await stands(session), await seen()]).toEqual([true, -50_000]);
    clock.advance(15_000);
    expect([await stands(session), await seen()]).toEqual([true, 0]);
    clock.advance(30 * MINUTE_MS - 1);
    expect(await stands(session)).toBe(true);
    clock.advance(30 * MINUTE_MS);
    expect(await stands(session)).toBe(false);
    // What has ended is not brought back by being asked for.
    expect(await stands(session)).toBe(false);
  });

  it('is kept out of what goes on by itself as long as it lacks a second factor that its organization requires', async () => {
    const owner = await makeMember(database);
    const session = await signIn(owner);
    const { sessionId } = session.signedIn;
    const isOpen = async (): Promise<boolean> => (await people.sessions.stillOpen([sessionId])).has(sessionId);
    const enable = (at: Date | null): Promise<unknown> =>
      database.dataSource.query('UPDATE gateway.second_factor SET enabled_at = $2 WHERE user_id = $1', [owner.id, at]);
    expect(await isOpen()).toBe(true);
    await people.secondFactors.requireIn(session.signedIn, true, source);
    expect([await stands(session), await isOpen()]).toEqual([true, false]);
    // One that waits for its first code is none.
    await people.secondFactors.begin(session.signedIn, PASSWORD, source);
    expect(await isOpen()).toBe(false);
    await enable(new Date(clock.now()));
    expect(await isOpen()).toBe(true);
    await enable(null);
    await people.secondFactors.requireIn(session.signedIn, false, source);
    expect(await isOpen()).toBe(true);
  });

  it('ends twelve hours after the password was given, used or not, switched or not, and is pruned then', async () => {
    const user = await makeMember(database);
    const second = await makeOrganization(database);
    await join(database, second, user.id, 'MEMBER');
    let session = await signIn(user);
    for (let minutes = 20; minutes < 12 * 60; minutes += 20) {
      clock.advance(20 * MINUTE_MS);
      const { organization } = session.signedIn;
      const other = organization.id === second ? user.organizationId : second;
      session = await people.sessions.switchOrganization(session.signedIn, other, source);
      expect(await stands(session)).toBe(true);
    }
    clock.advance(20 * MINUTE_MS);
    expect(await stands(session)).toBe(false);
    const pruner = new PruneWorker({ database, clock, log }, oldSessions);
    expect(await pruner.round()).toBe(false);
    expect(await sessionsOf(user.id)).toBe(0);
  });

  it('ends when its person begins a hundred further ones, and no other does', async () => {
    const user = await makeMember(database);
    const owner = { userId: user.id, organizationId: user.organizationId, passwordHash: null, source };
    const begin = async (): Promise<NewSession> => {
      const begun = await database.transaction((tx) => beginSession(tx, owner, new Date(clock.now()), null));
      if (!begun) throw new Error('the person does not belong there');
      return begun;
    };
    const stranger = await signIn(await makeMember(database));
    const [first, second] = [await begin(), await begin()];
    for (let index = 2; index < 100; index++) await begin();
    expect([await stands(first), await sessionsOf(user.id)]).toEqual([true, 100]);
    const newest = await begin();
    expect(await Promise.all([first, second, newest, stranger].map(stands))).toEqual([false, true, true, true]);
    await Promise.all(Array.from({ length: 10 }, begin));
    expect([await sessionsOf(user.id), await stands(newest)]).toEqual([100, true]);
  });

  it('is not begun for a password that changed while it was checked, nor outlives the change', async () => {
    for (let round = 0; round < 5; round++) {
      const user = await makeMember(database);
      const current = await signIn(user);
      const change = people.signIn.changePassword(
        current.signedIn,
        { current: PASSWORD, next: `${PASSWORD}!` },
        source,
      );
      const begun = await Promise.allSettled([signIn(user), signIn(user), signIn(user)]);
      const changed = await change;
      for (const one of begun) if (one.status === 'fulfilled') expect(await stands(one.value)).toBe(false);
      expect([await stands(changed), await sessionsOf(user.id)]).toEqual([true, 1]);
      const owner = {
        userId: user.id,
        organizationId: user.organizationId,
        passwordHash: 'the one that was checked',
        source,
      };
      const late = database.transaction((tx) => beginSession(tx, owner, new Date(clock.now()), null));
      expect(await late).toBeNull();
    }
  });

  it('cannot slip through a sign-out everywhere by being switched at the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      const user = await makeMember(database);
      const second = await makeOrganization(database);
      await join(database, second, user.id, 'MEMBER');
      const [a, b] = [await signIn(user), await signIn(user)];
      await Promise.allSettled([
        people.sessions.switchOrganization(a.signedIn, second, source),
        people.sessions.endEverywhere(b.signedIn, source),
      ]);
      const switched = await codeOf(people.sessions.switchOrganization(a.signedIn, second, source));
      expect([switched, await sessionsOf(user.id)]).toEqual(['UNAUTHORIZED', 0]);
    }
  });

  it('does not stand without its membership, and does not come back with it', async () => {
    const owner = await makeMember(database);
    const member = await makeMember(database, 'MEMBER', owner.organizationId);
    const [ownersSession, membersSession] = [await signIn(owner), await signIn(member)];
    await people.members.remove(ownersSession.signedIn, member.membershipId, source);
    expect(await stands(membersSession)).toBe(false);
    await join(database, owner.organizationId, member.id, 'MEMBER');
    expect(await stands(membersSession)).toBe(false);
  });
});
