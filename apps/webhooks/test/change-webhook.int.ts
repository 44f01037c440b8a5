import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { changeWebhookRpc, deleteWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import { statement } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
const actsSql = statement<{ action: string }>(
  't.acts',
  `SELECT payload::json->'data'->>'action' AS action FROM webhooks.outbox
   WHERE aggregate_id = $1 AND subject LIKE 'webhooks.webhook.acted.%' ORDER BY position`,
);
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

  it('that is asked for again is answered as the first time, and does not change back what others have changed since', async () => {
    const customer = newCustomer(running);
    const { id } = await customer.register(running.receiver.at('/changed-twice'));
    const change = (description: string, by = actor()) =>
      running.gateway.call(changeWebhookRpc, customer.principal, { id, description, by });
    const by = actor();
    const first = await change('ours', by);
    await change('theirs');
    const states = { before: { description: null }, after: { description: 'ours' } };
    expect([first, await change('ours', by)]).toMatchObject([states, states]);
    expect(await customer.webhook(id)).toMatchObject({ description: 'theirs' });
  });
});

describe('a change of a webhook that changes nothing', () => {
  it('is no act for the audit log', async () => {
    const customer = newCustomer(running);
    const url = running.receiver.at('/unchanged');
    const { id } = await customer.register(url);
    const actsOf = async () => (await running.superuser.query(actsSql, [id])).map((act) => act.action);
    const before = await actsOf();
    const change = (request: object) =>
      running.gateway.call(changeWebhookRpc, customer.principal, { id, ...request, by: actor() });
    expect(await change({ url, description: null })).toMatchObject({ before: { url }, after: { url } });
    expect(await actsOf()).toEqual(before);
    await change({ description: 'ours' });
    expect(await actsOf()).toEqual([...before, 'webhook.changed']);
  });
});

describe('a deletion of a webhook', () => {
  it('that is asked for again has been done; another one is refused', async () => {
    const customer = newCustomer(running);
    const { id } = await customer.register(running.receiver.at('/deleted-twice'));
    const remove = (by = actor()) => running.gateway.call(deleteWebhookRpc, customer.principal, { id, by });
    const by = actor();
    expect(await remove(by)).toMatchObject({ before: { id } });
    expect(await remove(by)).toMatchObject({ before: { id, status: 'ACTIVE' } });
    await expect(remove()).rejects.toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
  });
});

function actor() {
  return { actId: newCuid(), userId: newCuid(), email: 'a@example.org', address: null, traceId: null };
}
