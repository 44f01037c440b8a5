import { describe, expect, it } from '@jest/globals';
import { eventually, testServers } from '@switchboard/testing';
import { verifyServiceSignature } from '@switchboard/webhook-signature';
import { newCustomer } from './customer.js';
import { startWebhooks } from './running-webhooks.js';

const servers = testServers();

describe('an event of an organization with a webhook', () => {
  it('arrives once, signed, as it is stored, and its attempt is recorded', async () => {
    const running = await startWebhooks(servers);
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
    expect(JSON.parse(arrival?.body ?? '')).toMatchObject({
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
});
