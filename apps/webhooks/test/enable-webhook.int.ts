import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { enableWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import { Budget } from '@switchboard/nats';
import { statement, type Database } from '@switchboard/postgres';
import { eventually, patience, testServers } from '@switchboard/testing';
import { LaneBook } from '../src/deliver/lane-book.js';
import { EnableWebhookHandler } from '../src/enable-webhook/enable-webhook.handler.js';
import type { LaneWakeUps } from '../src/lane/lane-wake-ups.js';
import type { WaitingLane } from '../src/lane/waiting-lanes.repository.js';
import { webhooksMigrations } from '../src/migrations/all.js';
import { findWebhook } from '../src/webhook/webhook.repository.js';
import { newCustomer } from './customer.js';
import { status } from './receiver.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';
import { storeEvents, storeWebhook } from './stored-webhook.js';

const servers = testServers();
const deactivateSql = statement(
  't.deactivate',
  `WITH lane AS (UPDATE webhooks.lane SET is_open = false WHERE webhook_id = $1)
   UPDATE webhooks.webhook SET deactivated_at = now(), deactivated_reason = 'a test' WHERE id = $1`,
);
const failSql = statement('t.fail', 'UPDATE webhooks.lane SET consecutive_failures = 3 WHERE webhook_id = $1');
const countSql = statement<{ count: number }>(
  't.pending',
  'SELECT count(*)::integer AS count FROM webhooks.delivery WHERE webhook_id = $1',
);
const connectionsSql = statement<{ count: number }>(
  't.connections',
  `SELECT count(*)::integer AS count FROM pg_stat_activity
   WHERE datname = current_database() AND backend_type = 'client backend' AND usename <> current_user`,
);
const laneSql = statement<{ isOpen: boolean }>(
  't.lane',
  `SELECT is_open AS "isOpen", consecutive_failures AS "consecutiveFailures", held_until AS "heldUntil",
     probing_since AS "probingSince" FROM webhooks.lane WHERE webhook_id = $1`,
);
/** Nothing stores events here. */
const unheard = { sendNewTaker: () => undefined } as unknown as LaneWakeUps;
const opened = { isOpen: true, consecutiveFailures: 0, heldUntil: null, probingSince: null };

async function pendingOf(superuser: Database, webhookId: string): Promise<number> {
  return (await superuser.query(countSql, [webhookId]))[0]?.count ?? 0;
}

describe('enabling a webhook of which much is pending', () => {
  it('ends with its time, and goes on where it was when it is asked for again', async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    const [database, superuser] = [await prepared.database(), await prepared.superuser()];
    const { organizationId, id } = await storeWebhook(database, 2_500);
    await superuser.query(deactivateSql, [id]);
    const handler = new EnableWebhookHandler(database, unheard);
    const principal = { organizationId, actor: { type: 'user', userId: newCuid() }, scopes: null } as const;
    const enable = (ms: number) => handler.enable({ principal, request: { id }, budget: new Budget(ms) });
    await expect(enable(0)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
    expect(await pendingOf(superuser, id)).toBe(1_500);
    expect(await superuser.query(laneSql, [id])).toMatchObject([{ isOpen: false }]);
    expect((await enable(600_000)).after.status).toBe('ACTIVE');
    expect(await pendingOf(superuser, id)).toBe(0);
  });

  it('leaves nothing pending that another process is dropping at that moment', async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    const [database, superuser] = [await prepared.database(patience), await prepared.superuser()];
    const { organizationId, id } = await storeWebhook(database, 2_500);
    await superuser.query(deactivateSql, [id]);
    const other = superuser.dataSource.createQueryRunner();
    await other.startTransaction();
    await other.query(
      `DELETE FROM webhooks.delivery WHERE ctid = ANY (ARRAY(SELECT ctid FROM webhooks.delivery WHERE webhook_id = $1 LIMIT 1000))`,
      [id],
    );
    const principal = { organizationId, actor: { type: 'user', userId: newCuid() }, scopes: null } as const;
    const call = { principal, request: { id }, budget: new Budget(600_000) };
    const enabled = new EnableWebhookHandler(database, unheard).enable(call);
    // It waits for none of them, and is not active while they are there.
    await eventually(async () => (await pendingOf(superuser, id)) === 1_000);
    expect(await findWebhook(database, organizationId, id)).toMatchObject({ deactivatedReason: 'a test' });
    await other.commitTransaction();
    await other.release();
    expect([(await enabled).after.status, await pendingOf(superuser, id)]).toEqual(['ACTIVE', 0]);
  });

  it('has no more connections than an organization may have, however many are enabled at once', async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    const [database, superuser] = [await prepared.database({ idleMs: 0 }), await prepared.superuser()];
    const { organizationId, id } = await storeWebhook(database, 0);
    const ids = [id];
    while (ids.length < 6) ids.push((await storeWebhook(database, 0, organizationId)).id);
    await storeEvents(database, { organizationId, id }, 2_500);
    for (const each of ids) await superuser.query(deactivateSql, [each]);
    const handler = new EnableWebhookHandler(database, unheard);
    const principal = { organizationId, actor: { type: 'user', userId: newCuid() }, scopes: null } as const;
    const enable = (one: string) => handler.enable({ principal, request: { id: one }, budget: new Budget(600_000) });
    for (const { after } of await Promise.all(ids.map(enable))) expect(after.status).toBe('ACTIVE');
    // The pool keeps those that it has made.
    expect(await superuser.query(connectionsSql, [])).toEqual([{ count: 2 }]);
  });
});

describe('enabling a webhook that is asked for again', () => {
  it('is answered as the first time, and changes nothing of what has been since', async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    const [database, superuser] = [await prepared.database(), await prepared.superuser()];
    const { organizationId, id } = await storeWebhook(database, 1);
    await superuser.query(deactivateSql, [id]);
    const handler = new EnableWebhookHandler(database, unheard);
    const principal = { organizationId, actor: { type: 'user', userId: newCuid() }, scopes: null } as const;
    const by = { actId: newCuid(), userId: newCuid(), email: 'a@example.org', address: null, traceId: null };
    const enable = () => handler.enable({ principal, request: { id, by }, budget: new Budget(600_000) });
    const states = { before: { status: 'DEACTIVATED' }, after: { status: 'ACTIVE', deactivatedAt: null } };
    expect(await enable()).toMatchObject(states);
    await superuser.query(failSql, [id]);
    expect(await enable()).toMatchObject(states);
    expect(await superuser.query(laneSql, [id])).toMatchObject([{ isOpen: true, consecutiveFailures: 3 }]);
    await superuser.query(deactivateSql, [id]);
    expect(await enable()).toMatchObject(states);
    expect(await superuser.query(laneSql, [id])).toMatchObject([{ isOpen: false }]);
  });
});

describe('enabling a webhook while a request of it is under way', () => {
  let running: RunningWebhooks;

  beforeAll(async () => {
    running = await startWebhooks(servers);
  });

  it('begins anew: what comes of the request neither counts nor holds the webhook', async () => {
    const customer = newCustomer(running);
    const asked = Promise.withResolvers<() => void>();
    const url = running.receiver.at('/enabled', (response) =>
      asked.resolve(() => void response.writeHead(503, { 'retry-after': '3600' }).end()),
    );
    const { id } = await customer.register(url);
    await customer.receive('first');
    const fail = await asked.promise;
    await running.gateway.call(enableWebhookRpc, customer.principal, { id });
    fail();
    const [attempt] = await eventually(async () => {
      const attempts = await customer.attempts(id);
      return attempts.length === 1 && attempts;
    });
    expect(attempt).toMatchObject({ outcome: 'FAILED', responseStatus: 503 });
    expect(await running.superuser.query(laneSql, [id])).toEqual([opened]);
  });

  it('lets no second one begin at a receiver that has not answered', async () => {
    const customer = newCustomer(running);
    const asked = Promise.withResolvers<() => void>();
    const url = running.receiver.at('/enabled-again', (response) =>
      asked.resolve(() => void response.writeHead(200).end()),
    );
    const { id } = await customer.register(url);
    await customer.receive('first');
    const answer = await asked.promise;
    running.receiver.at('/enabled-again', status(200));
    const found = jest.spyOn(LaneBook.prototype, 'found');
    await running.gateway.call(enableWebhookRpc, customer.principal, { id });
    await customer.receive('second');
    // The worker has seen that it was enabled, and has then delivered to another new one: it could have begun what waits.
    const isSeen = (lane: WaitingLane): boolean =>
      lane.webhookId === id && lane.state === 'own' && lane.lane.openedAtMs !== null;
    await eventually(() => found.mock.calls.some(([lane]) => isSeen(lane)));
    found.mockRestore();
    await customer.register(running.receiver.at('/next-to-it'));
    await customer.receive('third');
    await eventually(() => running.receiver.arrivals('/next-to-it').length === 1);
    expect(running.receiver.arrivals('/enabled-again')).toHaveLength(1);
    answer();
    await eventually(async () => (await pendingOf(running.superuser, id)) === 0);
    expect(running.receiver.arrivals('/enabled-again').map(({ open }) => open)).toEqual([1, 1, 1]);
  });
});
