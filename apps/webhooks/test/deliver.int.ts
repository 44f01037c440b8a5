import { beforeAll, describe, expect, it } from '@jest/globals';
import { getWebhookDeliveryRpc, listEventsRpc } from '@switchboard/contracts/webhooks/rpc';
import { eventually, testServers } from '@switchboard/testing';
import { verifyServiceSignature } from '@switchboard/webhook-signature';
import { Webhook } from 'standardwebhooks';
import { newCustomer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers);
});

describe('an event of an organization with a webhook', () => {
  it('arrives once, signed, as it is stored, and its attempt is recorded', async () => {
    const customer = newCustomer(running);
    const webhook = await customer.register(running.receiver.at('/hook'));
    const eventId = await customer.receive('hello');
    await eventually(() => running.receiver.arrivals('/hook').length === 1);
    const [arrival] = running.receiver.arrivals('/hook');
    expect(arrival).toMatchObject({ dataId: eventId, event: 'message.received' });
    expect(arrival?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Service-Webhooks/1',
      'webhook-id': eventId,
    });
    const signature = String(arrival?.headers['x-service-signature']);
    expect(verifyServiceSignature(Buffer.from(arrival?.body ?? ''), signature, webhook.secret)).toBe(true);
    const verified = new Webhook(webhook.secret).verify(
      arrival?.body ?? '',
      arrival?.headers as Record<string, string>,
    );
    expect(verified).toMatchObject({
      event: 'message.received',
      organizationId: customer.organizationId,
      data: { id: eventId, sequence: 1, message: { text: 'hello' } },
    });
    const [attempt] = await eventually(async () => {
      const attempts = await customer.attempts(webhook.id);
      return attempts.length === 1 && attempts;
    });
    expect(attempt).toMatchObject({
      dataId: eventId,
      kind: 'AUTOMATIC',
      attempt: 1,
      responseStatus: 200,
      outcome: 'SUCCEEDED',
    });
  });

  it('arrives summarised when its body is larger than 256 KB, and is shown so in the feed and of its delivery', async () => {
    const { gateway, receiver } = running;
    const customer = newCustomer(running);
    const webhook = await customer.register(receiver.at('/large'));
    const [large, small] = [await customer.receive('x'.repeat(300_000)), await customer.receive('small')];
    await eventually(() => receiver.arrivals('/large').length === 2);
    const bodyOf = (id: string): string => receiver.arrivals('/large').find(({ dataId }) => dataId === id)?.body ?? '';
    const summary = {
      event: 'message.received',
      timestamp: expect.any(String),
      organizationId: customer.organizationId,
      data: { id: large, sequence: 1, message: { id: expect.any(String), summarised: true } },
    };
    expect(JSON.parse(bodyOf(large))).toEqual(summary);
    expect(JSON.parse(bodyOf(small))).toMatchObject({ data: { id: small, message: { text: 'small' } } });
    const request = { limit: 100, cursor: null, types: null, from: null };
    const { bodies } = await gateway.call(listEventsRpc, customer.principal, request);
    expect([...bodies].sort()).toEqual([bodyOf(large), bodyOf(small)].sort());
    const attempt = await eventually(async () =>
      (await customer.attempts(webhook.id)).find(({ dataId }) => dataId === large),
    );
    const delivery = { webhookId: webhook.id, deliveryId: attempt.deliveryId };
    expect(await gateway.call(getWebhookDeliveryRpc, customer.principal, delivery)).toMatchObject({
      state: 'SUCCEEDED',
      payload: summary,
    });
  });
});
