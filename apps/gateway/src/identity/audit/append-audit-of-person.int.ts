import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '@switchboard/postgres';
import { createLog } from '@switchboard/platform';
import { FakeClock, testServers } from '@switchboard/testing';
import { join, makeMember, makeOrganization, PASSWORD } from '../../../test/people-harness.js';
import { gatewayMigrations } from '../../migrations/all.js';
import { openPeople, type OpenPeople } from '../people.js';

const servers = testServers();
const source = { address: '192.0.2.1', traceId: '0'.repeat(32) };
let database: Database;
let people: OpenPeople;

beforeAll(async () => {
  database = await (await servers.serviceDatabase('gateway', gatewayMigrations)).database();
  people = openPeople(database, new FakeClock(), createLog('test', { write: () => undefined }));
});

describe('what ends sessions in every organization', () => {
  it('is in the log of each of them, and a wrong current password is no failed sign-in', async () => {
    const owner = await makeMember(database);
    const second = await makeOrganization(database);
    await join(database, second, owner.id, 'MEMBER');
    const first = await people.signIn.signIn({ ...owner, formerSecret: null }, source);
    const next = `${PASSWORD}!`;
    await expect(people.signIn.changePassword(first.signedIn, { current: 'wrong', next }, source)).rejects.toThrow();
    await people.drain();
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
