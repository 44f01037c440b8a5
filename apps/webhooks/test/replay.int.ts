import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { enableWebhookRpc, replayWebhookRpc, type ReplayWebhookRequest } from '@switchboard/contracts/webhooks/rpc';
import { Database, statement } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { webhooksMigrations } from '../src/migrations/all.js';
import { queueSlice } from '../src/queue-replays/queue-slice.js';
import { dueReplays, insertReplay } from '../src/replay/replay.repository.js';
import { countReplay, type ReplayedEvents } from '../src/replay/replayed-events.repository.js';
import { newCustomer, type Customer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';
import { storeWebhook } from './stored-webhook.js';

const servers = testServers();
/** Events of an organization at the positions 1 to $2, and an end of its feed. */
const storeEventsSql = statement(
  't.store-events',
  `WITH stored AS (
     INSERT INTO webhooks.event (organization_id, id, type, line, body, occurred_at, stored_at, position)
     SELECT $1, substr(webhooks.cuid_floor(now()), 1, 9) || substr(md5(n || $1), 1, 16), 'message.received', '',
       json_build_object('data', json_build_object('id', n::text)), now(), now(), n
     FROM generate_series(1, $2::integer) AS n)
   INSERT INTO webhooks.feed (organization_id, last_position) VALUES ($1, $2)
   ON CONFLICT (organization_id) DO UPDATE SET last_position = $2`,
);
/** Deliveries of a replay that was before. */
const storeReplayedSql = statement(
  't.store-replayed',
  `INSERT INTO webhooks.delivery (webhook_id, id, organization_id, event_id, type, line, position, body_bytes, kind, due_at)
   SELECT $2, 'delivery-' || n, $1, 'event-' || n, 'message.received', '', n, 2, 'REPLAY', now()
   FROM generate_series(1, $3::integer) AS n`,
);
const deliveriesSql = statement<{ count: number; events: number }>(
  't.replayed-deliveries',
  `SELECT count(*)::integer AS count, count(DISTINCT event_id)::integer AS events
   FROM webhooks.delivery WHERE webhook_id = $1 AND kind = 'REPLAY'`,
);
const replaysSql = statement<{ state: string; position: number; count: number }>(
  't.replays',
  'SELECT state, position::integer AS position, count FROM webhooks.replay WHERE webhook_id = $1 ORDER BY id',
);
const failuresSql = statement<{ failures: number }>(
  't.replay-failures',
  'SELECT coalesce(max(failures), 0)::integer AS failures FROM webhooks.replay WHERE webhook_id = $1 AND ended_at IS NULL',
);
const deactivateSql = statement(
  't.deactivate',
  `WITH lane AS (UPDATE webhooks.lane SET is_open = false WHERE webhook_id = $1)
   UPDATE webhooks.webhook SET deactivated_at = now(), deactivated_reason = 'a test' WHERE id = $1`,
);
const lockSql = statement('t.lock-webhook', 'SELECT FROM webhooks.webhook WHERE id = $1 FOR UPDATE');
const actsSql = statement<{ count: number }>(
  't.replay-acts',
  `SELECT count(*)::integer AS count FROM webhooks.outbox
   WHERE payload::json #>> '{data,action}' = 'webhook.replayed' AND payload::json ->> 'organizationId' = $1`,
);
const ALL = { since: new Date(0).toISOString(), until: null, events: null, onlyMissed: false, dryRun: false };
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers);
});

async function failuresOf(webhookId: string): Promise<number> {
  return (await running.superuser.query(failuresSql, [webhookId]))[0]?.failures ?? 0;
}

function replay(customer: Customer, webhookId: string, more: Partial<ReplayWebhookRequest> = {}) {
  const request = { replayId: newCuid(), webhookId, ...ALL, ...more };
  return running.gateway.call(replayWebhookRpc, customer.principal, request);
}

describe('a replay', () => {
  it('is counted, queued and in the log once, however often it is asked for by its id', async () => {
    const customer = newCustomer(running);
    await running.superuser.query(storeEventsSql, [customer.organizationId, 20]);
    const { id } = await customer.register(running.receiver.at('/once'));
    const by = { actId: newCuid(), userId: newCuid(), email: 'a@example.org', address: null, traceId: null };
    const request = { replayId: newCuid(), by };
    expect(await replay(customer, id, request)).toEqual({ count: 20 });
    await eventually(async () => (await customer.attempts(id)).length === 20);
    expect(await replay(customer, id, request)).toEqual({ count: 20 });
    await customer.receive('afterwards');
    await eventually(async () => (await customer.attempts(id)).some(({ kind }) => kind === 'AUTOMATIC'));
    expect(await customer.attempts(id)).toHaveLength(21);
    expect(await running.superuser.query(actsSql, [customer.organizationId])).toEqual([{ count: 1 }]);
    expect(await running.superuser.query(replaysSql, [id])).toEqual([{ state: 'FINISHED', position: 20, count: 20 }]);
  });

  it('has two others of its webhook next to it at most, and does not stop those of others that fail', async () => {
    const [held, other] = [newCustomer(running), newCustomer(running)];
    const silent = running.receiver.at('/silent', () => undefined);
    const [{ id }, { id: otherId }] = [await held.register(silent), await other.register(silent)];
    for (const { organizationId } of [held, other]) await running.superuser.query(storeEventsSql, [organizationId, 10]);
    await running.superuser.transaction(async (tx) => {
      await tx.query(lockSql, [id]);
      for (let n = 0; n < 3; n++) await replay(held, id);
      await expect(replay(held, id)).rejects.toMatchObject({
        code: 'CONFLICT',
        message: 'The webhook has 3 replays under way: wait until one has ended',
      });
      await replay(other, otherId);
      await eventually(async () => (await running.superuser.query(deliveriesSql, [otherId]))[0]?.count === 10);
      expect(await running.superuser.query(deliveriesSql, [id])).toEqual([{ count: 0, events: 0 }]);
      await eventually(async () => (await failuresOf(id)) > 0);
    });
    await eventually(async () => (await running.superuser.query(deliveriesSql, [id]))[0]?.count === 30);
    await eventually(async () => (await failuresOf(id)) === 0);
  });

  it('takes turns of its organization for each slice that it counts', async () => {
    const customer = newCustomer(running);
    const { id } = await customer.register(running.receiver.at('/turns'));
    await running.superuser.query(storeEventsSql, [customer.organizationId, 12_000]);
    const spy = jest.spyOn(Database.prototype, 'transaction');
    expect(await replay(customer, id, { dryRun: true })).toEqual({ count: 12_000 });
    const own = spy.mock.calls.filter(([, options]) => options?.tenant === customer.organizationId);
    spy.mockRestore();
    expect(own.length).toBeGreaterThan(3);
  });
});

describe('a replay of a database without a service', () => {
  async function prepare(events: number) {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    const [database, superuser] = [await prepared.database(), await prepared.superuser()];
    const { organizationId, id: webhookId } = await storeWebhook(database, 0);
    await superuser.query(storeEventsSql, [organizationId, events]);
    const replayed: ReplayedEvents = {
      organizationId,
      webhookId,
      replayId: newCuid(),
      after: 0,
      upTo: events,
      since: new Date(0),
      until: null,
      types: ['message.received'],
      onlyMissed: false,
    };
    await database.transaction((tx) => insertReplay(tx, replayed, events));
    const key = { organizationId, id: replayed.replayId, webhookId };
    const deliveries = async () => (await superuser.query(deliveriesSql, [webhookId]))[0];
    return { database, superuser, replayed, key, deliveries };
  }

  it('goes on where it was when a process was killed before a commit, and queues each event once', async () => {
    const { database, superuser, key, deliveries } = await prepare(2_500);
    expect(await queueSlice(database, key)).toMatchObject({ queued: 1_000, end: null });
    const { transaction } = Database.prototype;
    const spy = jest.spyOn(Database.prototype, 'transaction').mockImplementationOnce(function (
      this: Database,
      work,
      options,
    ) {
      const killed = async (tx: Parameters<typeof work>[0]) => {
        await work(tx);
        throw new Error('killed');
      };
      return transaction.call(this, killed, options) as never;
    });
    await expect(queueSlice(database, key)).rejects.toThrow('killed');
    spy.mockRestore();
    expect(await deliveries()).toEqual({ count: 1_000, events: 1_000 });
    // Two replicas at once: one has it, and the other leaves it.
    const both = await Promise.all([queueSlice(database, key), queueSlice(database, key)]);
    const left = 1_500 - both.reduce((sum, slice) => sum + (slice?.queued ?? 0), 0);
    if (left > 0) await queueSlice(database, key);
    expect(await deliveries()).toEqual({ count: 2_500, events: 2_500 });
    expect(await superuser.query(replaysSql, [key.webhookId])).toMatchObject([{ state: 'FINISHED', position: 2_500 }]);
    expect(await queueSlice(database, key)).toBeNull();
  });

  it('ends with its webhook, and goes over what is no longer kept', async () => {
    const gone = await prepare(1_500);
    await gone.superuser.dataSource.query('DELETE FROM webhooks.event WHERE position <= 1400');
    expect(await queueSlice(gone.database, gone.key)).toMatchObject({ queued: 100, end: 'FINISHED' });
    const { database, superuser, key, deliveries } = await prepare(1_500);
    await queueSlice(database, key);
    await superuser.query(deactivateSql, [key.webhookId]);
    expect(await queueSlice(database, key)).toMatchObject({ queued: 0, end: 'CANCELED' });
    expect(await deliveries()).toEqual({ count: 1_000, events: 1_000 });
    expect(await dueReplays(database, 10)).toEqual([]);
  });

  it('queues nothing while 10,000 that were queued wait, and goes on when they are fewer', async () => {
    const { database, superuser, key, deliveries } = await prepare(1_500);
    await superuser.query(storeReplayedSql, [key.organizationId, key.webhookId, 10_000]);
    expect(await queueSlice(database, key)).toEqual({ queued: 0, after: 0, end: null });
    expect(await deliveries()).toMatchObject({ count: 10_000 });
    expect(await superuser.query(replaysSql, [key.webhookId])).toMatchObject([{ state: 'RUNNING', position: 0 }]);
    // A pause, and no failure.
    expect(await dueReplays(database, 10)).toEqual([]);
    expect(await superuser.query(failuresSql, [key.webhookId])).toEqual([{ failures: 0 }]);
    await superuser.dataSource.query(`DELETE FROM webhooks.delivery WHERE id = 'delivery-1'`);
    await superuser.dataSource.query('UPDATE webhooks.replay SET due_at = now()');
    expect(await queueSlice(database, key)).toEqual({ queued: 1_000, after: 0, end: null });
  });

  it('refuses to count more than it has time for', async () => {
    const { database, replayed } = await prepare(12_000);
    let leftMs = 5_200;
    const budget = {
      get leftMs() {
        return (leftMs -= 100);
      },
    };
    const { signal: stop } = new AbortController();
    const counted = countReplay(database, replayed, { budget, stop });
    await expect(counted).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('counts no further in a process that ends', async () => {
    const { database, replayed } = await prepare(12_000);
    const ending = new AbortController();
    const budget = {
      get leftMs() {
        ending.abort();
        return 60_000;
      },
    };
    const counted = countReplay(database, replayed, { budget, stop: ending.signal });
    await expect(counted).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
  });

  it('gives each organization one turn of a round', async () => {
    const { database, replayed, key } = await prepare(10);
    const other = { ...replayed, organizationId: newCuid(), replayId: newCuid() };
    const more = Array.from({ length: 4 }, () => ({ ...replayed, replayId: newCuid() }));
    for (const one of [...more, other]) await database.transaction((tx) => insertReplay(tx, one, 10));
    const due = await dueReplays(database, 10);
    expect(due.map(({ organizationId }) => organizationId)).toEqual([key.organizationId, other.organizationId]);
  });
});

describe('a webhook that is enabled', () => {
  it('does not go on with replays from before it was deactivated', async () => {
    const customer = newCustomer(running);
    const { id } = await customer.register(running.receiver.at('/enabled', () => undefined));
    await running.superuser.query(storeEventsSql, [customer.organizationId, 10]);
    await running.superuser.transaction(async (tx) => {
      await tx.query(deactivateSql, [id]);
      const queued = {
        organizationId: customer.organizationId,
        webhookId: id,
        replayId: newCuid(),
        after: 0,
        upTo: 10,
      };
      const which = { since: new Date(0), until: null, types: ['message.received'], onlyMissed: false };
      await tx.query(statement('t.path', 'SET LOCAL search_path = webhooks'), []);
      await insertReplay(tx, { ...queued, ...which }, 10);
    });
    await running.gateway.call(enableWebhookRpc, customer.principal, { id });
    expect(await running.superuser.query(replaysSql, [id])).toMatchObject([{ state: 'CANCELED' }]);
  });
});
