import { beforeAll, describe, expect, it } from '@jest/globals';
import { changeWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import { statement } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
const moveSql = statement('t.move', 'UPDATE webhooks.webhook SET url = $2 WHERE id = $1');
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers);
});

describe('a change of a webhook', () => {
  it('that leaves its URL as it is does not ask whether its name resolves just now', async () => {
    const customer = newCustomer(running);
    const { id } = await customer.register(running.receiver.at('/changed'));
    const url = 'https://gone.invalid/hook';
    await running.superuser.query(moveSql, [id, url]);
    const change = (request: object) => running.gateway.call(changeWebhookRpc, customer.principal, { id, ...request });
    await change({ url, description: 'ours' });
    expect(await customer.webhook(id)).toMatchObject({ url, description: 'ours' });
    const refused = change({ url: 'https://other.invalid/hook', description: 'theirs' });
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await customer.webhook(id)).toMatchObject({ url, description: 'ours' });
  });
});
