import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { enableWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import { statement, type Database } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
const laneSql = statement<{ isOpen: boolean }>(
  't.lane',
  `SELECT is_open AS "isOpen", consecutive_failures AS "consecutiveFailures", held_until AS "heldUntil",
     probing_since AS "probingSince" FROM webhooks.lane WHERE webhook_id = $1`,
);
const opened = { isOpen: true, consecutiveFailures: 0, heldUntil: null, probingSince: null };

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
});
