import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { cuidFloor, newCuid } from '@switchboard/contracts/grammar/cuid';
import { getWebhookDeliveryRpc, redeliverWebhookRpc, testWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import { statement } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { SendRequest } from '../src/attempt/send-request.client.js';
import { newCustomer } from './customer.js';
import { status } from './receiver.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
const pendingSql = statement<{ id: string }>('t.pending', 'SELECT id FROM webhooks.delivery WHERE webhook_id = $1');
const deactivateSql = statement(
  't.deactivate',
  `WITH closed AS (UPDATE webhooks.lane SET is_open = false WHERE webhook_id = $1)
   UPDATE webhooks.webhook SET deactivated_at = now(), deactivated_reason = 'of the test' WHERE id = $1`,
);
const waitingSql = statement<{ id: string; kind: string; line: string }>(
  't.waiting',
  'SELECT id, kind, line, tries, due_at FROM webhooks.delivery WHERE webhook_id = $1 AND attempt_id IS NULL ORDER BY position',
);
const actsSql = statement<{ count: number }>(
  't.acts-of',
  `SELECT count(*)::integer AS count FROM webhooks.outbox
   WHERE payload::json #>> '{data,action}' = 'webhook.redelivered' AND payload::json ->> 'organizationId' = $1`,
);
const attemptSql = statement(
  't.attempt-drawn-by-another-clock',
  `INSERT INTO webhooks.attempt (webhook_id, id, organization_id, delivery_id, event_id, type, kind, number, began_at,
     duration_ms, outcome, delivery_state)
   VALUES ($1, $2, $3, $4, $4, 'message.received', 'AUTOMATIC', 1, now(), 1, 'SUCCEEDED', 'SUCCEEDED')`,
);
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers);
});

describe('a re-delivery', () => {
  it('is refused while an attempt is under way, is in no log then, and is taken when the attempt has ended', async () => {
    const customer = newCustomer(running);
    const held = Promise.withResolvers<() => void>();
    const url = running.receiver.at('/held', (response) => held.resolve(() => void response.end()));
    const { id: webhookId } = await customer.register(url);
    await customer.receive('1');
    const release = await held.promise;
    const [delivery] = await running.superuser.query(pendingSql, [webhookId]);
    const by = () => ({ actId: newCuid(), userId: newCuid(), email: 'a@example.org', address: null, traceId: null });
    const request = { webhookId, deliveryId: delivery?.id ?? '' };
    const redeliver = () => running.gateway.call(redeliverWebhookRpc, customer.principal, { ...request, by: by() });
    const acts = async () => (await running.superuser.query(actsSql, [customer.organizationId]))[0]?.count;
    await expect(redeliver()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'An attempt of the delivery is under way: wait until it has ended',
    });
    expect(await acts()).toBe(0);
    running.receiver.at('/held', status(204));
    release();
    await eventually(async () => (await customer.attempts(webhookId)).length === 1);
    await redeliver();
    expect(await acts()).toBe(1);
    const attempts = await eventually(async () => {
      const all = await customer.attempts(webhookId);
      return all.length === 2 && all;
    });
    expect(attempts.map(({ kind }) => kind)).toEqual(['MANUAL', 'AUTOMATIC']);
  });

  it('is sent once for an act that is asked for again, and is refused while its webhook is deactivated', async () => {
    const customer = newCustomer(running);
    const { id: webhookId } = await customer.register(running.receiver.at('/again'));
    await customer.receive('1');
    const attempts = (count: number) =>
      eventually(async () => {
        const all = await customer.attempts(webhookId);
        return all.length === count && all;
      });
    const [first] = await attempts(1);
    const act = () => ({ actId: newCuid(), userId: newCuid(), email: 'a@example.org', address: null, traceId: null });
    const redeliver = (by: ReturnType<typeof act>) => {
      const request = { webhookId, deliveryId: first?.deliveryId ?? '', by };
      return running.gateway.call(redeliverWebhookRpc, customer.principal, request);
    };
    const by = act();
    await redeliver(by);
    await attempts(2);
    await redeliver(by);
    expect(await running.superuser.query(pendingSql, [webhookId])).toEqual([]);
    await running.superuser.query(deactivateSql, [webhookId]);
    await expect(redeliver(act())).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await running.superuser.query(pendingSql, [webhookId])).toEqual([]);
    expect(await customer.attempts(webhookId)).toHaveLength(2);
  });
});

describe('a re-delivery of what waits for its first attempt', () => {
  it('leaves it its place in its conversation, and what its failure counts', async () => {
    const customer = newCustomer(running);
    const held = Promise.withResolvers<() => void>();
    const url = running.receiver.at('/waiting', (response) => held.resolve(() => void response.end()));
    const { id: webhookId } = await customer.register(url);
    const conversationId = newCuid();
    const sent = [await customer.receive('1', conversationId)];
    const release = await held.promise;
    for (const text of ['2', '3']) sent.push(await customer.receive(text, conversationId));
    const waiting = await eventually(async () => {
      const rows = await running.superuser.query(waitingSql, [webhookId]);
      return rows.length === 2 && rows;
    });
    const request = { webhookId, deliveryId: waiting[1]?.id ?? '' };
    await running.gateway.call(redeliverWebhookRpc, customer.principal, request);
    expect(await running.superuser.query(waitingSql, [webhookId])).toEqual(waiting);
    running.receiver.at('/waiting', status(204));
    release();
    const arrived = () => running.receiver.arrivals('/waiting').map(({ dataId }) => dataId);
    await eventually(() => arrived().length === 3);
    expect(arrived()).toEqual(sent);
  });
});

describe('a test send', () => {
  it('is refused while its organization has five under way, goes apart, and is taken again later', async () => {
    const send = jest.spyOn(SendRequest.prototype, 'send');
    const [customer, other] = [newCustomer(running), newCustomer(running)];
    const open: (() => void)[] = [];
    const url = running.receiver.at('/testing', (response) => void open.push(() => void response.end()));
    const [{ id }, { id: otherId }] = [await customer.register(url), await other.register(url)];
    const test = () => running.gateway.call(testWebhookRpc, customer.principal, { id });
    const under = Array.from({ length: 5 }, test);
    await eventually(() => open.length === 5);
    await expect(test()).rejects.toMatchObject({ code: 'RATE_LIMITED', status: 429, retryAfterSeconds: 1 });
    const others = running.gateway.call(testWebhookRpc, other.principal, { id: otherId });
    await eventually(() => open.length === 6);
    running.receiver.at('/testing', status(204));
    for (const end of open) end();
    for (const result of await Promise.all([...under, others])) expect(result).toMatchObject({ delivered: true });
    expect(await test()).toMatchObject({ delivered: true });
    expect(send.mock.calls.every(([, options]) => options?.isApart === true)).toBe(true);
    expect(send.mock.calls.length).toBeGreaterThanOrEqual(7);
    send.mockRestore();
  });

  it('is not delivered again, and the refusal says why', async () => {
    const customer = newCustomer(running);
    const { id } = await customer.register(running.receiver.at('/tested'));
    await running.gateway.call(testWebhookRpc, customer.principal, { id });
    const [test] = await customer.attempts(id);
    const request = { webhookId: id, deliveryId: test?.deliveryId ?? '' };
    await expect(running.gateway.call(redeliverWebhookRpc, customer.principal, request)).rejects.toMatchObject({
      code: 'DELIVERY_NOT_FOUND',
      message: 'A test send is not delivered again: send another one',
    });
  });
});

describe('a delivery', () => {
  it('is found although its event carries the time of a clock that is ahead of that of its attempts', async () => {
    const customer = newCustomer(running);
    const { id: webhookId } = await customer.register(running.receiver.at('/clocks'));
    const tail = newCuid().slice(9);
    const idAt = (ms: number): string => cuidFloor(new Date(ms)) + tail;
    const [attemptId, deliveryId] = [idAt(Date.now()), idAt(Date.now() + 30_000)];
    await running.superuser.query(attemptSql, [webhookId, attemptId, customer.organizationId, deliveryId]);
    const request = { webhookId, deliveryId };
    const delivery = await running.gateway.call(getWebhookDeliveryRpc, customer.principal, request);
    expect(delivery).toMatchObject({ state: 'SUCCEEDED', attempts: [{ id: attemptId }] });
  });

  it('shows its last 100 attempts, in their order', async () => {
    const customer = newCustomer(running);
    const { id: webhookId } = await customer.register(running.receiver.at('/many-attempts'));
    const deliveryId = newCuid();
    const ids = Array.from({ length: 120 }, () => newCuid()).sort();
    for (const id of ids) {
      await running.superuser.query(attemptSql, [webhookId, id, customer.organizationId, deliveryId]);
    }
    const request = { webhookId, deliveryId };
    const { attempts } = await running.gateway.call(getWebhookDeliveryRpc, customer.principal, request);
    expect(attempts.map(({ id }) => id)).toEqual(ids.slice(20));
  });
});
