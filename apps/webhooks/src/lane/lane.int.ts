import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { statement, type Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { storeWebhook } from '../../test/stored-webhook.js';
import { WorkerLease } from '../deliver/worker-lease.js';
import { webhooksMigrations } from '../migrations/all.js';
import { acquireLanes, lockLanes, releaseLanes, storeLanes } from './lane.repository.js';
import { newLane } from './lane.policy.js';

const servers = testServers();
const leaseSql = statement('t.lease', 'UPDATE worker SET lease_until = now() + $2::interval WHERE id = $1');
let database: Database;
beforeAll(async () => {
  database = await (await servers.serviceDatabase('webhooks', webhooksMigrations)).database();
});

/** A worker whose lease lasts for so long. */
async function worker(lasts = '1 minute'): Promise<string> {
  const lease = new WorkerLease(database);
  await lease.renew();
  await database.query(leaseSql, [lease.id, lasts]);
  return lease.id;
}

async function acquired(webhookId: string, by: string): Promise<boolean> {
  return (await acquireLanes(database, [webhookId], by)).length === 1;
}

async function isOwned(webhookId: string, by: string): Promise<boolean | undefined> {
  const lanes = await database.transaction((tx) => lockLanes(tx, [webhookId], by));
  return lanes.get(webhookId)?.isOwned;
}

describe('the lane of a webhook', () => {
  it('is one worker’s as long as that lives, whoever else wants it or gives it back', async () => {
    const { id } = await storeWebhook(database, 0);
    const [owner, other] = [await worker(), await worker()];
    expect([await acquired(id, owner), await acquired(id, other)]).toEqual([true, false]);
    await releaseLanes(database, [id], other);
    expect([await isOwned(id, owner), await isOwned(id, other)]).toEqual([true, false]);
    await releaseLanes(database, [id], owner);
    expect([await acquired(id, other), await acquired(id, owner)]).toEqual([true, false]);
  });

  it('is no worker’s whose lease is over, and anybody else’s then', async () => {
    const { id } = await storeWebhook(database, 0);
    const [late, other] = [await worker(), await worker()];
    await acquired(id, late);
    await database.query(leaseSql, [late, '-1 second']);
    expect(await isOwned(id, late)).toBe(false);
    expect(await acquired(id, other)).toBe(true);
    await database.query(leaseSql, [late, '1 minute']);
    expect([await isOwned(id, late), await isOwned(id, other)]).toEqual([false, true]);
  });

  it('is not acquired while it is closed', async () => {
    const { id } = await storeWebhook(database, 0);
    await database.transaction((tx) => storeLanes(tx, [{ webhookId: id, isOpen: false, state: newLane }]));
    expect(await acquired(id, await worker())).toBe(false);
  });
});

describe('a lease that has not changed for longer than it lasts', () => {
  const livingSql = statement<{ id: string }>('t.living', 'SELECT id FROM worker WHERE id = $1');
  afterEach(() => void jest.restoreAllMocks());

  it.each([
    ['is taken away, whatever the database’s clock says of it', false],
    ['is not when it was renewed a moment ago', true],
  ])('%s', async (_what, isRenewed) => {
    const [own, other] = [new WorkerLease(database), new WorkerLease(database)];
    await other.renew();
    await database.query(leaseSql, [other.id, '1 hour']);
    await own.renew();
    const { now } = performance;
    jest.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 7_000);
    if (isRenewed) await other.renew();
    await own.renew();
    expect(await database.query(livingSql, [other.id])).toHaveLength(isRenewed ? 1 : 0);
  });
});
