import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import {
  changeWebhookRpc,
  deleteWebhookRpc,
  enableWebhookRpc,
  getWebhookDeliveryRpc,
  redeliverWebhookRpc,
  rotateWebhookSecretRpc,
  testWebhookRpc,
} from '@switchboard/contracts/webhooks/rpc';
import { eventually, testServers } from '@switchboard/testing';
import { verifyServiceSignature } from '@switchboard/webhook-signature';
import { newCustomer } from './customer.js';
import { status, type Arrival } from './receiver.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
/** 30 s are 300 ms, 5 min are 3 s, the first probe comes after 10 ms. */
const TIME_SCALE = 0.01;
let running: RunningWebhooks;
let customer: ReturnType<typeof newCustomer>;

beforeAll(async () => {
  running = await startWebhooks(servers, TIME_SCALE);
});

function arrivals(path: string): readonly Arrival[] {
  return running.receiver.arrivals(path);
}

async function arrived(path: string, count: number): Promise<readonly Arrival[]> {
  return eventually(() => arrivals(path).length >= count && arrivals(path));
}

/** The service has taken an event: whether it has deliveries is decided. */
async function stored(eventId: string): Promise<void> {
  const sql = 'SELECT id FROM webhooks.event WHERE id = $1';
  await eventually(async () => (await running.superuser.dataSource.query<unknown[]>(sql, [eventId])).length === 1);
}

async function attemptsOf(webhookId: string, count: number) {
  return eventually(async () => {
    const attempts = await customer.attempts(webhookId);
    return attempts.length >= count && attempts;
  });
}

describe('a receiver that is dead from the start', () => {
  it('gets exactly 10 requests, one at a time; then the webhook is deactivated and what is pending is dropped', async () => {
    customer = newCustomer(running);
    const { gateway } = running;
    const webhook = await customer.register(running.receiver.at('/dead', status(500)));
    for (let event = 0; event < 6; event++) await customer.receive(`${event}`);
    const deactivated = await eventually(async () => {
      const now = await customer.webhook(webhook.id);
      return now.status === 'DEACTIVATED' && now;
    });
    expect(deactivated.deactivatedReason).toBe('10 consecutive attempts failed; the last: status 500');
    expect(deactivated).toMatchObject({ consecutiveFailures: 10, deactivatedAt: expect.any(String) });
    expect(arrivals('/dead')).toHaveLength(10);
    expect(arrivals('/dead').map(({ open }) => open)).toEqual(Array.from({ length: 10 }, () => 1));
    const attempts = await attemptsOf(webhook.id, 10);
    const deliveries = await Promise.all(
      [...new Set(attempts.map(({ deliveryId }) => deliveryId))].map((deliveryId) =>
        gateway.call(getWebhookDeliveryRpc, customer.principal, { webhookId: webhook.id, deliveryId }),
      ),
    );
    expect(
      deliveries.every(({ state, attempts: own }) => (own.length === 3 ? state === 'FAILED' : state === 'DROPPED')),
    ).toBe(true);

    await stored(await customer.receive('while deactivated'));
    const last = attempts[0];
    const again = { webhookId: webhook.id, deliveryId: last?.deliveryId ?? '' };
    await expect(gateway.call(redeliverWebhookRpc, customer.principal, again)).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    running.receiver.at('/dead', status(204));
    const { after } = await gateway.call(enableWebhookRpc, customer.principal, { id: webhook.id });
    expect(after).toMatchObject({ status: 'ACTIVE', consecutiveFailures: 0, deactivatedReason: null });
    const fresh = await customer.receive('once enabled');
    const eleventh = (await arrived('/dead', 11))[10];
    expect(eleventh?.dataId).toBe(fresh);

    await gateway.call(redeliverWebhookRpc, customer.principal, again);
    const twelfth = (await arrived('/dead', 12))[11];
    expect(twelfth?.dataId).toBe(last?.dataId);
    const [manual] = await attemptsOf(webhook.id, 12);
    expect(manual).toMatchObject({ kind: 'MANUAL', deliveryId: last?.deliveryId, outcome: 'SUCCEEDED' });
    expect(await gateway.call(getWebhookDeliveryRpc, customer.principal, again)).toMatchObject({ state: 'SUCCEEDED' });

    // Asked for again, as after a lost answer, when it has been delivered.
    const by = { actId: newCuid(), userId: newCuid(), email: 'a@example.org', address: null, traceId: null };
    await gateway.call(redeliverWebhookRpc, customer.principal, { ...again, by });
    await attemptsOf(webhook.id, 13);
    await gateway.call(redeliverWebhookRpc, customer.principal, { ...again, by });
    const later = await customer.receive('afterwards');
    expect((await arrived('/dead', 14))[13]?.dataId).toBe(later);
  });
});

describe('a delivery that fails', () => {
  it('is sent three times with the same bytes, and holds no later event of its conversation', async () => {
    customer = newCustomer(running);
    const failing = new Set<string>();
    const url = running.receiver.at(
      '/retry',
      (response, { dataId }) =>
        void response.writeHead(failing.has(dataId) ? 302 : 200, { location: running.receiver.at('/never') }).end('x'),
    );
    const webhook = await customer.register(url);
    const conversationId = newCuid();
    const first = await customer.receive('first', conversationId);
    failing.add(first);
    const later = await customer.receive('later', conversationId);
    await eventually(() => arrivals('/retry').some(({ dataId }) => dataId === later));
    const attempts = (await attemptsOf(webhook.id, 4)).filter(({ dataId }) => dataId === first);
    expect(attempts.map(({ attempt }) => attempt)).toEqual([3, 2, 1]);
    expect(attempts[0]).toMatchObject({ outcome: 'FAILED', responseStatus: 302, responseBody: 'x', error: null });
    const times = attempts.map(({ at, durationMs }) => ({ at: Date.parse(at), end: Date.parse(at) + durationMs }));
    expect((times[1]?.at ?? 0) - (times[2]?.end ?? 0)).toBeGreaterThanOrEqual(240);
    expect((times[0]?.at ?? 0) - (times[1]?.end ?? 0)).toBeGreaterThanOrEqual(2_400);
    const bodies = arrivals('/retry').filter(({ dataId }) => dataId === first);
    expect(bodies).toHaveLength(3);
    expect(new Set(bodies.map(({ body }) => body)).size).toBe(1);
    expect(arrivals('/never')).toHaveLength(0);
    const filtered = await customer.attempts(webhook.id, { outcome: 'SUCCEEDED', event: 'message.received' });
    expect(filtered.map(({ dataId }) => dataId)).toEqual([later]);
  });

  it('holds the whole webhook for as long as Retry-After asks', async () => {
    customer = newCustomer(running);
    const url = running.receiver.at('/hold', status(503, { 'retry-after': '1000' }));
    await customer.register(url);
    await customer.receive('first');
    const [held] = await arrived('/hold', 1);
    running.receiver.at('/hold', status(200));
    await customer.receive('second');
    const [, next] = await arrived('/hold', 3);
    // 1,000 s are 10 s here, by the database's clock, of which a busy process may be late to know; the probe alone would
    // have come after 10 ms.
    expect((next?.atMs ?? 0) - (held?.atMs ?? 0)).toBeGreaterThanOrEqual(5_000);
  });

  it('holds the webhook no longer when it is enabled', async () => {
    customer = newCustomer(running);
    // An hour is 36 s here.
    const webhook = await customer.register(running.receiver.at('/release', status(503, { 'retry-after': '3600' })));
    await customer.receive('first');
    await attemptsOf(webhook.id, 1);
    running.receiver.at('/release', status(200));
    await running.gateway.call(enableWebhookRpc, customer.principal, { id: webhook.id });
    await arrived('/release', 2);
    const [second, first] = await attemptsOf(webhook.id, 2);
    expect(second?.outcome).toBe('SUCCEEDED');
    expect(Date.parse(second?.at ?? '')).toBeLessThan(Date.parse(first?.at ?? '') + 36_000);
  });

  it('goes to a URL that was changed meanwhile', async () => {
    customer = newCustomer(running);
    const webhook = await customer.register(running.receiver.at('/old', status(500)));
    const eventId = await customer.receive('moves');
    await arrived('/old', 1);
    const url = running.receiver.at('/new');
    const request = { id: webhook.id, url, description: 'moved' };
    const { before, after } = await running.gateway.call(changeWebhookRpc, customer.principal, request);
    expect([before.url, after.url, after.description]).toEqual([running.receiver.at('/old'), url, 'moved']);
    expect((await arrived('/new', 1))[0]?.dataId).toBe(eventId);
    await running.gateway.call(deleteWebhookRpc, customer.principal, { id: webhook.id });
    await expect(customer.webhook(webhook.id)).rejects.toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
  });
});

describe('a change of the URL', () => {
  it('ends the pause and the failures of the former receiver', async () => {
    customer = newCustomer(running);
    // An hour is 36 s here.
    const webhook = await customer.register(running.receiver.at('/pausing', status(503, { 'retry-after': '3600' })));
    const eventId = await customer.receive('first');
    const [failed] = await attemptsOf(webhook.id, 1);
    expect((await customer.webhook(webhook.id)).consecutiveFailures).toBe(1);
    const pending = { webhookId: webhook.id, deliveryId: failed?.deliveryId ?? '' };
    const { state, nextAttemptAt } = await running.gateway.call(getWebhookDeliveryRpc, customer.principal, pending);
    expect(state).toBe('PENDING');
    // Of its own it is due after 300 ms.
    expect(Date.parse(nextAttemptAt ?? '') - Date.parse(failed?.at ?? '')).toBeGreaterThanOrEqual(36_000);
    const request = { id: webhook.id, url: running.receiver.at('/pausing-no-more', status(204)) };
    const { after } = await running.gateway.call(changeWebhookRpc, customer.principal, request);
    expect(after.consecutiveFailures).toBe(0);
    expect((await arrived('/pausing-no-more', 1))[0]?.dataId).toBe(eventId);
    const [second] = await attemptsOf(webhook.id, 2);
    expect(Date.parse(second?.at ?? '')).toBeLessThan(Date.parse(failed?.at ?? '') + 36_000);
  });

  it('leaves what is under way to the former receiver, whose failure neither counts nor holds the webhook', async () => {
    customer = newCustomer(running);
    const asked = Promise.withResolvers<() => void>();
    // An hour is 36 s here.
    const url = running.receiver.at('/leaving', (response) =>
      asked.resolve(() => void response.writeHead(503, { 'retry-after': '3600' }).end()),
    );
    const webhook = await customer.register(url);
    await customer.receive('first');
    const fail = await asked.promise;
    // The next attempt fails too, and takes its time.
    const request = { id: webhook.id, url: running.receiver.at('/left', () => undefined) };
    await running.gateway.call(changeWebhookRpc, customer.principal, request);
    fail();
    const [failed] = await attemptsOf(webhook.id, 1);
    expect(failed).toMatchObject({ outcome: 'FAILED', responseStatus: 503 });
    expect((await customer.webhook(webhook.id)).consecutiveFailures).toBe(0);
    const pending = { webhookId: webhook.id, deliveryId: failed?.deliveryId ?? '' };
    const { nextAttemptAt } = await running.gateway.call(getWebhookDeliveryRpc, customer.principal, pending);
    const endMs = Date.parse(failed?.at ?? '') + (failed?.durationMs ?? 0);
    expect(Date.parse(nextAttemptAt ?? '') - endMs).toBeLessThan(20_000);
    await running.gateway.call(deleteWebhookRpc, customer.principal, { id: webhook.id });
  });

  it('that changes nothing leaves them as they are', async () => {
    customer = newCustomer(running);
    const url = running.receiver.at('/staying', status(503, { 'retry-after': '3600' }));
    const webhook = await customer.register(url);
    await customer.receive('first');
    await attemptsOf(webhook.id, 1);
    const request = { id: webhook.id, url, description: 'the same' };
    const { after } = await running.gateway.call(changeWebhookRpc, customer.principal, request);
    expect(after).toMatchObject({ description: 'the same', consecutiveFailures: 1 });
  });
});

describe('the first attempts of a conversation', () => {
  it('arrive in order, one after another, while other conversations go side by side', async () => {
    customer = newCustomer(running);
    const open = new Map<string, number>();
    let together = 0;
    const held: (() => void)[] = [];
    const url = running.receiver.at('/order', (response, { body }) => {
      const { conversationId } = (JSON.parse(body) as { data: { message: { conversationId: string } } }).data.message;
      open.set(conversationId, (open.get(conversationId) ?? 0) + 1);
      together = Math.max(together, open.size);
      expect(open.get(conversationId)).toBe(1);
      held.push(() => {
        open.delete(conversationId);
        response.end();
      });
      // The first success lets two be under way: then none is answered before two are, however slowly events come.
      if (arrivals('/order').length > 1 && together === 1) return;
      for (const answer of held.splice(0)) setTimeout(answer, 5);
    });
    await customer.register(url);
    const conversations = Array.from({ length: 8 }, () => newCuid());
    const sent = new Map<string, string[]>();
    for (let event = 0; event < 80; event++) {
      const conversationId = conversations[event % conversations.length] ?? '';
      const list = sent.get(conversationId) ?? [];
      sent.set(conversationId, [...list, await customer.receive(`${event}`, conversationId)]);
    }
    const received = await arrived('/order', 80);
    for (const [conversationId, ids] of sent) {
      expect(received.filter(({ body }) => body.includes(conversationId)).map(({ dataId }) => dataId)).toEqual(ids);
    }
    expect(together).toBeGreaterThan(1);
    expect(received[0]?.open).toBe(1);
    expect(received[1]?.open).toBeLessThanOrEqual(2);
  });
});

describe('a test send', () => {
  it('answers at once, is signed with both secrets after a rotation, and never counts', async () => {
    customer = newCustomer(running);
    const { gateway } = running;
    const webhook = await customer.register(
      running.receiver.at('/test', (response) => void response.end('é'.repeat(2_000))),
    );
    const rotated = await gateway.call(rotateWebhookSecretRpc, customer.principal, { id: webhook.id });
    expect(rotated.secret).not.toBe(webhook.secret);
    expect(Date.parse(rotated.previousSecretValidUntil ?? '') - Date.now()).toBeGreaterThan(23 * 3_600_000);
    const result = await gateway.call(testWebhookRpc, customer.principal, { id: webhook.id });
    expect(result).toMatchObject({ delivered: true, responseStatus: 200, error: null });
    expect(Buffer.byteLength(result.responseBody ?? '')).toBe(1_024);
    const [arrival] = arrivals('/test');
    const body = Buffer.from(arrival?.body ?? '');
    const header = (name: string): string => String(arrival?.headers[name]);
    expect(verifyServiceSignature(body, header('x-service-signature'), rotated.secret)).toBe(true);
    expect(verifyServiceSignature(body, header('x-service-signature-previous'), webhook.secret)).toBe(true);
    expect(header('webhook-signature').split(' ')).toHaveLength(2);
    running.receiver.at('/test', status(500));
    expect(await gateway.call(testWebhookRpc, customer.principal, { id: webhook.id })).toMatchObject({
      delivered: false,
      responseStatus: 500,
    });
    expect(await customer.webhook(webhook.id)).toMatchObject({ consecutiveFailures: 0 });
    const [second, first] = await customer.attempts(webhook.id);
    expect([first?.kind, first?.event, second?.outcome]).toEqual(['TEST', 'webhook.test', 'FAILED']);
    const request = { webhookId: webhook.id, deliveryId: first?.deliveryId ?? '' };
    const delivery = await gateway.call(getWebhookDeliveryRpc, customer.principal, request);
    expect(delivery.payload).toEqual(JSON.parse(arrival?.body ?? ''));
  });
});
