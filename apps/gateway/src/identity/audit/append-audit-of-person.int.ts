import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '@switchboard/postgres';
import { createLog } from '@switchboard/platform';
import { FakeClock, testServers } from '@switchboard/testing';
import { openIdentity } from '../../../test/identity-harness.js';
import { join, makeMember, makeOrganization, PASSWORD } from '../../../test/people-harness.js';
import { gatewayMigrations } from '../../migrations/all.js';
import { PEOPLE, type People } from '../people.contract.js';
import { FailedSignIns } from '../sign-in/failed-sign-ins.js';

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

describe('what ends sessions in every organization', () => {
  it('is in the log of each of them, and a wrong current password is no failed sign-in', async () => {
    const owner = await makeMember(database);
    const second = await makeOrganization(database);
    await join(database, second, owner.id, 'MEMBER');
    const first = await people.signIn.signIn({ ...owner, formerSecret: null }, source);
    const next = `${PASSWORD}!`;
    await expect(people.signIn.changePassword(first.signedIn, { current: 'wrong', next }, source)).rejects.toThrow();
    await failures.drain();
    const changed = await people.signIn.changePassword(first.signedIn, { current: PASSWORD, next }, source);
    await people.sessions.endEverywhere(changed.signedIn, source);
    const rows: { action: string }[] = await database.dataSource.query(
      'SELECT action FROM gateway.audit_entry WHERE organization_id = $1 ORDER BY sequence',
      [second],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'user.password-change-failed',
      'user.password-changed',
      'user.signed-out-everywhere',
    ]);
  });
});
