import { beforeAll, describe, expect, it } from '@jest/globals';
import { statement, type Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { storeWebhook } from '../../test/stored-webhook.js';
import { newLane } from '../lane/lane.policy.js';
import { openLane, storeLanes } from '../lane/lane.repository.js';
import { webhooksMigrations } from '../migrations/all.js';
import { deactivateWebhooks, dropPending } from './deactivate-webhooks.repository.js';

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
const eventsSql = statement<{ payload: string }>('t.events-of', 'SELECT payload FROM outbox WHERE aggregate_id = $1');
let database: Database;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
  database = await prepared.database();
});

describe('a deactivation', () => {
  it('emits its event with it, for the audit log: once', async () => {
    const { organizationId, id } = await storeWebhook(database, 0);
    const one = { organizationId, webhookId: id, reason: '10 consecutive attempts failed; the last: status 500' };
    const refused = database.transaction(async (tx) => {
      await deactivateWebhooks(tx, [one]);
      throw new Error('rolled back');
    });
    await expect(refused).rejects.toThrow('rolled back');
    expect(await database.query(eventsSql, [id])).toEqual([]);
    for (let asked = 0; asked < 2; asked++) await database.transaction((tx) => deactivateWebhooks(tx, [one]));
    const events = (await database.query(eventsSql, [id])).map(({ payload }) => JSON.parse(payload) as object);
    const state = { id, url: 'https://example.org/', events: ['message.received'], description: null };
    const data = {
      before: { ...state, status: 'ACTIVE' },
      after: { ...state, status: 'DEACTIVATED' },
      reason: one.reason,
    };
    expect(events).toMatchObject([{ subject: 'webhooks.webhook.deactivated.v1', organizationId, data }]);
  });
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
