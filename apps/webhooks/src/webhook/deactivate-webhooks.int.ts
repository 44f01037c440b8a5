import { beforeAll, describe, expect, it } from '@jest/globals';
import { statement, type Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { storeWebhook } from '../../test/stored-webhook.js';
import { newLane } from '../lane/lane.policy.js';
import { openLane, storeLanes } from '../lane/lane.repository.js';
import { webhooksMigrations } from '../migrations/all.js';
import { dropPending } from './deactivate-webhooks.repository.js';

const servers = testServers();
const countSql = statement<{ pending: number; dropped: number }>(
  't.deliveries-of-webhook',
  `SELECT (SELECT count(*)::integer FROM delivery WHERE webhook_id = $1) AS pending,
     (SELECT count(*)::integer FROM dropped_delivery WHERE webhook_id = $1) AS dropped`,
);
/** One of its deliveries is of more than a month ago. */
const ageSql = statement(
  't.age-a-delivery',
  `UPDATE delivery SET id = cuid_floor(now() - interval '40 days') || substr(id, 10)
   WHERE webhook_id = $1 AND id = (SELECT min(id) FROM delivery WHERE webhook_id = $1)`,
);
let database: Database;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
  database = await prepared.database();
});

describe('dropping what is pending of webhooks that were found deactivated', () => {
  it('spares one that was enabled meanwhile', async () => {
    const enabled = await storeWebhook(database, 3);
    const deactivated = await storeWebhook(database, 3);
    const lanes = [enabled, deactivated].map(({ id: webhookId }) => ({ webhookId, isOpen: false, state: newLane }));
    await database.transaction((tx) => storeLanes(tx, lanes));
    await database.transaction((tx) => openLane(tx, enabled.id));
    expect(await dropPending(database, [enabled.id, deactivated.id])).toBe(false);
    expect(await database.query(countSql, [enabled.id])).toEqual([{ pending: 3, dropped: 0 }]);
    expect(await database.query(countSql, [deactivated.id])).toEqual([{ pending: 0, dropped: 3 }]);
  });

  it('drops what is older than the days that are kept, too, without a trace', async () => {
    const { id } = await storeWebhook(database, 2);
    await database.transaction((tx) => storeLanes(tx, [{ webhookId: id, isOpen: false, state: newLane }]));
    await database.query(ageSql, [id]);
    expect(await dropPending(database, [id])).toBe(false);
    expect(await database.query(countSql, [id])).toEqual([{ pending: 0, dropped: 1 }]);
  });
});
