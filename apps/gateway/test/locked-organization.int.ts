import { beforeAll, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { createLog } from '@switchboard/platform';
import { FakeClock, lockWaiters, testServers } from '@switchboard/testing';
import { eventually } from '@switchboard/testing/eventually';
import { AUDIT_TRAIL, type AuditTrail } from '../src/identity/audit.contract.js';
import { PEOPLE, type People } from '../src/identity/people.contract.js';
import { gatewayMigrations } from '../src/migrations/all.js';
import { entryOf } from './audit-chains.js';
import { openIdentity } from './identity-harness.js';
import { makeMember } from './people-harness.js';

const servers = testServers();
const source = { address: '192.0.2.1', traceId: '0'.repeat(32) };
/** Far more than a pool has connections. */
const CALLS = 30;
const CONNECTIONS_OF_ONE = 2;
let database: Database;
let superuser: Database;
let identity: Awaited<ReturnType<typeof openIdentity>>;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('gateway', gatewayMigrations);
  database = await prepared.database();
  superuser = await prepared.superuser();
  identity = await openIdentity(servers, database, new FakeClock(), createLog('test', { write: () => undefined }));
});

/** As long as somebody holds what the calls of one organization wait for. */
async function leavesConnections(hold: string, values: readonly string[], call: () => Promise<unknown>): Promise<void> {
  const holder = superuser.dataSource.createQueryRunner();
  await holder.startTransaction();
  await holder.query(hold, [...values]);
  let ended = 0;
  const calls = Array.from({ length: CALLS }, () => call().finally(() => void ended++));
  const settled = Promise.allSettled(calls);
  await eventually(async () => (await lockWaiters(superuser)) >= CONNECTIONS_OF_ONE);
  await identity.get<AuditTrail>(AUDIT_TRAIL).record(entryOf(newCuid()));
  expect([ended, (await lockWaiters(superuser)) <= CONNECTIONS_OF_ONE]).toEqual([0, true]);
  await holder.rollbackTransaction();
  await holder.release();
  await settled;
}

it('acts of one organization that wait for its log leave the connections to the others', async () => {
  const organizationId = newCuid();
  const trail = identity.get<AuditTrail>(AUDIT_TRAIL);
  await trail.record(entryOf(organizationId));
  const hold = 'SELECT FROM gateway.audit_head WHERE organization_id = $1 FOR UPDATE';
  await leavesConnections(hold, [organizationId], () => trail.record(entryOf(organizationId)));
});

it('invitations of one organization that wait for it leave the connections to the others', async () => {
  const owner = await makeMember(database);
  const { invites, signIn } = identity.get<People>(PEOPLE);
  const { signedIn } = await signIn.signIn({ ...owner, formerSecret: null }, source);
  const invite = (): Promise<unknown> =>
    invites.create(signedIn, { email: `${newCuid()}@example.com`, role: 'MEMBER' }, source);
  const hold = 'SELECT FROM gateway.organization WHERE id = $1 FOR UPDATE';
  await leavesConnections(hold, [owner.organizationId], invite);
});
