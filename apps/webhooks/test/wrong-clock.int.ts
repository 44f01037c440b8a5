import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newCuid, newCuidAt } from '@switchboard/contracts/grammar/cuid';
import { getWebhookDeliveryRpc, testWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers);
});

afterEach(() => void jest.restoreAllMocks());

/** From now on the process's clock is so far ahead; those of the database and of services that emit events are right. */
function stepClock(byMs: number): void {
  const { now } = Date;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + byMs);
}

describe('a process whose clock is wrong', () => {
  it('signs by the clock of the database: receivers refuse what seems to be of another time', async () => {
    const customer = newCustomer(running);
    const { id } = await customer.register(running.receiver.at('/signed'));
    const eventId = newCuid();
    stepClock(HOUR_MS);
    await customer.receive('hello', undefined, undefined, new Date(), eventId);
    await running.gateway.call(testWebhookRpc, customer.principal, { id });
    await eventually(() => running.receiver.arrivals('/signed').length === 2);
    for (const { headers } of running.receiver.arrivals('/signed')) {
      const ageS = new Date().getTime() / 1_000 - Number(headers['webhook-timestamp']);
      expect(Math.abs(ageS)).toBeLessThan(60);
    }
  });

  it('records what it sends, days ahead as well, and shows it in the log by its time', async () => {
    const customer = newCustomer(running);
    const { id } = await customer.register(running.receiver.at('/recorded'));
    const eventId = newCuid();
    const minute = (n: number): string => new Date(new Date().getTime() + n * MINUTE_MS).toISOString();
    stepClock(10 * 24 * HOUR_MS);
    await customer.receive('hello', undefined, undefined, new Date(), eventId);
    await eventually(async () => (await customer.attempts(id)).length === 1);
    await running.gateway.call(testWebhookRpc, customer.principal, { id });
    const listed = async (from: string, to: string) =>
      (await customer.attempts(id, { from, to })).map(({ event }) => event);
    expect(await listed(minute(-2), minute(2))).toEqual(['webhook.test', 'message.received']);
    expect((await customer.attempts(id)).map(({ event }) => event)).toEqual(['webhook.test', 'message.received']);
  });
});

describe('an event of a service whose clock is days ahead', () => {
  it('has a delivery that shows its attempts', async () => {
    const customer = newCustomer(running);
    const { id: webhookId } = await customer.register(running.receiver.at('/ahead'));
    const occurredAt = new Date(Date.now() + 3 * 24 * HOUR_MS);
    await customer.receive('hello', undefined, undefined, occurredAt, newCuidAt(occurredAt.getTime()));
    await eventually(async () => (await customer.attempts(webhookId)).length === 1);
    const [{ deliveryId, id } = { deliveryId: '', id: '' }] = await customer.attempts(webhookId);
    const delivery = await running.gateway.call(getWebhookDeliveryRpc, customer.principal, { webhookId, deliveryId });
    expect(delivery).toMatchObject({ state: 'SUCCEEDED', attempts: [{ id }] });
  });
});
