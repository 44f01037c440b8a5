import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { lockWaiters, testServers } from '@switchboard/testing';
import { eventually } from '@switchboard/testing/eventually';
import { JobStore } from './job-store.js';

const servers = testServers();
/** Far more than a pool has connections. */
const CALLS = 30;
const CONNECTIONS_OF_ONE = 2;
let store: JobStore;
let holder: Awaited<ReturnType<JobStore['superuser']['connect']>>;

beforeEach(async () => {
  store = await JobStore.openAnew(servers);
  holder = await store.superuser.connect();
  await holder.query('BEGIN');
});
afterEach(() => holder.release(true));

/** As long as somebody holds what the calls wait for. */
async function leavesConnections(call: () => Promise<unknown>): Promise<void> {
  const calls = Promise.allSettled(Array.from({ length: CALLS }, call));
  await eventually(async () => (await lockWaiters(store.superuser)) >= CONNECTIONS_OF_ONE);
  expect(await store.staged.begin(newCuid(), newCuid(), 1)).toBe(true);
  expect(await lockWaiters(store.superuser)).toBeLessThanOrEqual(CONNECTIONS_OF_ONE);
  await holder.query('ROLLBACK');
  await calls;
}

it('pauses of one organization that wait for a locked job leave the connections to the others', async () => {
  const { job } = await store.commit(store.batch(3));
  await holder.query('SELECT FROM templates.job WHERE id = $1 FOR UPDATE', [job.id]);
  await leavesConnections(() => store.act(job.id, 'pause'));
});

it('batches of one organization that wait for a place leave the connections to the others', async () => {
  const { organizationId } = store;
  const lock = "SELECT pg_advisory_xact_lock(hashtextextended('staged-job ' || $1, 0))";
  await holder.query(lock, [organizationId]);
  await leavesConnections(() => store.staged.begin(organizationId, newCuid(), 1));
});
