import { expect, it } from '@jest/globals';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { status } from './receiver.js';
import { startWebhooks } from './running-webhooks.js';

const servers = testServers();
/** 400 s are 4 s, the first probe comes after 10 ms. */
const TIME_SCALE = 0.01;

it('holds the probes of a receiver that answers 429 until the date of its Retry-After', async () => {
  const running = await startWebhooks(servers, TIME_SCALE);
  const customer = newCustomer(running);
  const url = running.receiver.at('/hold-until', (response) => {
    const until = new Date(Date.now() + 400_000).toUTCString();
    response.writeHead(429, { 'retry-after': until }).end();
  });
  const webhook = await customer.register(url);
  await customer.receive('first');
  const failed = await eventually(async () => (await customer.attempts(webhook.id))[0]);
  expect(failed).toMatchObject({ outcome: 'FAILED', responseStatus: 429 });
  running.receiver.at('/hold-until', status(200));
  await customer.receive('second');
  const [held, next] = await eventually(() => {
    const arrivals = running.receiver.arrivals('/hold-until');
    return arrivals.length > 1 && arrivals;
  });
  // A date has whole seconds, and a busy process may be late to know the database's clock.
  expect((next?.atMs ?? 0) - (held?.atMs ?? 0)).toBeGreaterThanOrEqual(2_000);
});
