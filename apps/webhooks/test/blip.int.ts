import type { ServerResponse } from 'node:http';
import { expect, it } from '@jest/globals';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { startWebhooks } from './running-webhooks.js';

const servers = testServers();
/** So many that as many requests are in flight at once afterwards as may be. */
const CALM = 150;
/** Below the most in flight of a webhook, and far above the failures that deactivate it. */
const FAILED = 40;

it('a blip of a busy receiver, which fails all requests in flight, counts as one failure and deactivates nothing', async () => {
  const running = await startWebhooks(servers, 0.01, 1, 120_000);
  const customer = newCustomer(running);
  const held: ServerResponse[] = [];
  let isHolding = false;
  const url = running.receiver.at('/blip', (response) => void (isHolding ? held.push(response) : response.end()));
  const { id } = await customer.register(url);
  const attempts = async (outcome: 'SUCCEEDED' | 'FAILED'): Promise<number> => {
    const [row]: { count: number }[] = await running.superuser.dataSource.query(
      'SELECT count(*)::integer AS count FROM webhooks.attempt WHERE webhook_id = $1 AND outcome = $2',
      [id, outcome],
    );
    return row?.count ?? 0;
  };
  await Promise.all(Array.from({ length: CALM }, (_, event) => customer.receive(`${event}`)));
  await eventually(async () => (await attempts('SUCCEEDED')) === CALM);

  isHolding = true;
  await Promise.all(Array.from({ length: FAILED }, (_, event) => customer.receive(`${event}`)));
  await eventually(() => held.length === FAILED);
  for (const response of held.splice(0)) response.writeHead(500).end();
  await eventually(async () => (await attempts('FAILED')) === FAILED);
  // What is sent next is held: nothing has succeeded since.
  expect(await customer.webhook(id)).toMatchObject({ status: 'ACTIVE', consecutiveFailures: 1 });

  isHolding = false;
  for (const response of held.splice(0)) response.end();
  await eventually(async () => (await attempts('SUCCEEDED')) === CALM + FAILED);
  expect(await customer.webhook(id)).toMatchObject({ status: 'ACTIVE', consecutiveFailures: 0 });
});
