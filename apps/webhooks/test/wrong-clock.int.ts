import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { testWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
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
});
