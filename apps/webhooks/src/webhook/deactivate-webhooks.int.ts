import { beforeAll, describe, expect, it } from '@jest/globals';
import { statement, type Database } from '@switchboard/postgres';
import { itOnOneDay, testServers } from '@switchboard/testing';
import { storeWebhook } from '../../test/stored-webhook.js';
import { newLane } from '../lane/lane.policy.js';
import { openLane, storeLanes } from '../lane/lane.repository.js';
import { webhooksMigrations } from '../migrations/all.js';
import { deactivateWebhooks, dropLast, dropPending } from './deactivate-webhooks.repository.js';

const servers = testServers();
const countSql = statement<{ pending: number; dropped: number }>(
  't.deliveries-of-webhook',
  `SELECT (SELECT count(*)::integer FROM delivery WHERE webhook_id = $1) AS pending,
     (SELECT count(*)::integer FROM dropped_delivery WHERE webhook_id = $1) AS dropped`,
);
/** The last one of its deliveries has an attempt under way. */
const markSql = statement(
  't.mark-a-delivery',
  `UPDATE delivery SET attempt_id = 'cattempt', attempt_at = now(), lease_until = now() + $2::interval
   WHERE webhook_id = $1 AND id = (SELECT max(id) FROM delivery WHERE webhook_id = $1)`,
);
/** One of its deliveries is of more than a month ago. */
const ageSql = statement(
  't.age-a-delivery',
  `UPDATE delivery SET id = cuid_floor(now() - interval '40 days') || substr(id, 10)
   WHERE webhook_id = $1 AND id = (SELECT min(id) FROM delivery WHERE webhook_id = $1)`,
);
/** Its event and it are of 20 days ago: the event is kept for longer than usual, and delivered again by hand. */
const oldSql = statement(
  't.age-an-event',
  `WITH old AS (
     SELECT id, event_id, cuid_floor(now() - interval '20 days') AS day FROM webhooks.delivery WHERE webhook_id = $1
     ORDER BY id LIMIT 1),
   event AS (
     UPDATE webhooks.event e SET id = old.day || substr(e.id, 10) FROM old WHERE e.id = old.event_id)
   UPDATE webhooks.delivery d SET id = old.day || substr(d.id, 10), event_id = old.day || substr(d.event_id, 10)
   FROM old WHERE d.webhook_id = $1 AND d.id = old.id`,
);
const daySql = statement(
  't.day-of-20-days-ago',
  `SELECT webhooks.ensure_partition(parent, day, day + interval '1 day', to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD'))
   FROM unnest('{event,dropped_delivery}'::text[]) AS parent,
     LATERAL (SELECT date_trunc('day', now() - interval '20 days', 'UTC') AS day) AS of`,
);
const eventsSql = statement<{ payload: string }>('t.events-of', 'SELECT payload FROM outbox WHERE aggregate_id = $1');
let database: Database;
let superuser: Database;

beforeAll(async () => {
  const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
  database = await prepared.database();
  superuser = await prepared.superuser();
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

describe('a deactivation while another session stands still with a delivery of the webhook', () => {
  it('waits for none of it, drops the others, and the rest is dropped once it is free', async () => {
    const { organizationId, id: webhookId } = await storeWebhook(database, 3);
    const holder = await superuser.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM webhooks.delivery WHERE webhook_id = $1 LIMIT 1 FOR UPDATE', [webhookId]);
      await database.transaction(async (tx) => {
        await storeLanes(tx, [{ webhookId, isOpen: false, state: newLane }]);
        await deactivateWebhooks(tx, [{ organizationId, webhookId, reason: '10 consecutive attempts failed' }]);
      });
      expect(await database.query(countSql, [webhookId])).toEqual([{ pending: 1, dropped: 2 }]);
      expect(await database.transaction((tx) => dropLast(tx, webhookId))).toBe(false);
    } finally {
      await holder.query('ROLLBACK');
      holder.release(true);
    }
    expect(await database.transaction((tx) => dropLast(tx, webhookId))).toBe(true);
    expect(await database.query(countSql, [webhookId])).toEqual([{ pending: 0, dropped: 3 }]);
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

  it('leaves what is under way, which ends by itself, until its mark is long over', async () => {
    const { id } = await storeWebhook(database, 2);
    await database.transaction((tx) => storeLanes(tx, [{ webhookId: id, isOpen: false, state: newLane }]));
    await database.query(markSql, [id, '10 seconds']);
    await dropPending(database, [id]);
    expect(await database.query(countSql, [id])).toEqual([{ pending: 1, dropped: 1 }]);
    await database.query(markSql, [id, '-2 minutes']);
    await dropPending(database, [id]);
    expect(await database.query(countSql, [id])).toEqual([{ pending: 0, dropped: 2 }]);
  });

  it('drops what is older than the days that are kept, too, without a trace', async () => {
    const { id } = await storeWebhook(database, 2);
    await database.transaction((tx) => storeLanes(tx, [{ webhookId: id, isOpen: false, state: newLane }]));
    await database.query(ageSql, [id]);
    expect(await dropPending(database, [id])).toBe(false);
    expect(await database.query(countSql, [id])).toEqual([{ pending: 0, dropped: 1 }]);
  });

  itOnOneDay('keeps what it drops of an event that is kept for longer than usual', async () => {
    const { id } = await storeWebhook(database, 2);
    await database.transaction((tx) => storeLanes(tx, [{ webhookId: id, isOpen: false, state: newLane }]));
    await superuser.query(daySql, []);
    await superuser.query(oldSql, [id]);
    expect(await dropPending(database, [id])).toBe(false);
    expect(await database.query(countSql, [id])).toEqual([{ pending: 0, dropped: 2 }]);
  });
});
