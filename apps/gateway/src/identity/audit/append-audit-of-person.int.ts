import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Database, Transaction } from '@switchboard/postgres';
import { createLog } from '@switchboard/platform';
import { FakeClock, testServers } from '@switchboard/testing';
import { openIdentity } from '../../../test/identity-harness.js';
import { join, makeMember, makeOrganization, makePerson, PASSWORD, type Person } from '../../../test/people-harness.js';
import { gatewayMigrations } from '../../migrations/all.js';
import { PEOPLE, type People } from '../people.contract.js';
import { FailedSignIns } from '../audit/failed-sign-ins.js';
import { appendAuditOfPerson } from './append-audit-of-person.js';

const servers = testServers();
const source = { address: '192.0.2.1', traceId: '0'.repeat(32) };
let database: Database;
let people: People;
let failures: FailedSignIns;

beforeAll(async () => {
  database = await (await servers.serviceDatabase('gateway', gatewayMigrations)).database();
  const log = createLog('test', { write: () => undefined });
  const identity = await openIdentity(servers, database, new FakeClock(), log);
  people = identity.get(PEOPLE);
  failures = identity.get(FailedSignIns);
});

/** The log of one organization, oldest first. */
const logOf = (organizationId: string): Promise<readonly Record<string, unknown>[]> =>
  database.dataSource.query(
    `SELECT action, actor_type, actor_id, actor_email, address, trace_id, before, after FROM gateway.audit_entry
     WHERE organization_id = $1 ORDER BY sequence`,
    [organizationId],
  );
const actionsOf = async (organizationId: string): Promise<readonly unknown[]> =>
  (await logOf(organizationId)).map(({ action }) => action);

/** A person in two organizations, whose names are in the other order than their ids. */
async function memberOfTwo(): Promise<{ readonly person: Person; readonly ids: readonly [string, string] }> {
  const owner = await makeMember(database);
  const second = await makeOrganization(database);
  await join(database, second, owner.id, 'MEMBER');
  const [low, high] = owner.organizationId < second ? [owner.organizationId, second] : [second, owner.organizationId];
  const rename = 'UPDATE gateway.organization SET name = $2 WHERE id = $1';
  await database.dataSource.query(rename, [low, 'Z']);
  await database.dataSource.query(rename, [high, 'A']);
  return { person: owner, ids: [low, high] };
}

const act = (person: Person) =>
  ({
    actor: { type: 'user', id: person.id, email: person.email },
    ...source,
    action: 'user.password-changed',
    before: null,
    after: { kept: 1 },
  }) as const;

describe('what ends sessions in every organization', () => {
  it('is in the log of each of them and of no other, and a wrong current password is no failed sign-in', async () => {
    const owner = await makeMember(database);
    const second = await makeOrganization(database);
    await join(database, second, owner.id, 'MEMBER');
    // A colleague in the second organization, who has a third one.
    const colleague = await makeMember(database);
    await join(database, second, colleague.id, 'OWNER');
    const first = await people.signIn.signIn({ ...owner, formerSecret: null }, source);
    const next = `${PASSWORD}!`;
    await expect(
      people.signIn.changePassword(first.signedIn, { current: 'wrong', next }, source),
    ).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await failures.drain();
    const changed = await people.signIn.changePassword(first.signedIn, { current: PASSWORD, next }, source);
    await people.sessions.endEverywhere(changed.signedIn, source);
    const everywhere = ['user.password-change-failed', 'user.password-changed', 'user.signed-out-everywhere'];
    expect(await actionsOf(second)).toEqual(everywhere);
    expect(await actionsOf(owner.organizationId)).toEqual(['user.signed-in', ...everywhere]);
    expect(await actionsOf(colleague.organizationId)).toEqual([]);
    for (const entry of await logOf(second)) {
      expect(entry).toMatchObject({ actor_type: 'user', actor_id: owner.id, actor_email: owner.email });
      expect([entry['address'], entry['trace_id']]).toEqual([source.address, source.traceId]);
    }
  });
});

describe('an act that concerns a person everywhere', () => {
  it('is the same entry in each log, and their number is returned', async () => {
    const { person, ids } = await memberOfTwo();
    expect(await database.transaction((tx) => appendAuditOfPerson(tx, person.id, act(person)))).toBe(2);
    const logs = await Promise.all(ids.map(logOf));
    expect(logs[0]).toEqual(logs[1]);
    expect(logs[0]).toEqual([expect.objectContaining({ action: 'user.password-changed', after: { kept: 1 } })]);
  });

  it('takes the logs in the order of ids, whatever the organizations are called', async () => {
    const { person, ids } = await memberOfTwo();
    const taken: unknown[] = [];
    await database.transaction((tx) => {
      const watched: Transaction = {
        query: (statement, values) => tx.query(statement, values),
        atCommit: (statement, values) => {
          taken.push(values[0]);
          tx.atCommit(statement, values);
        },
      };
      return appendAuditOfPerson(watched, person.id, act(person));
    });
    expect(taken).toEqual(ids);
  });

  it('is in no log when its transaction fails', async () => {
    const { person, ids } = await memberOfTwo();
    const failed = database.transaction(async (tx) => {
      await appendAuditOfPerson(tx, person.id, act(person));
      throw new Error('the use case failed after all');
    });
    await expect(failed).rejects.toThrow('the use case failed after all');
    expect(await Promise.all(ids.map(actionsOf))).toEqual([[], []]);
  });

  it('is in no log for a person who belongs to no organization', async () => {
    const person = await makePerson(database);
    expect(await database.transaction((tx) => appendAuditOfPerson(tx, person.id, act(person)))).toBe(0);
  });
});
