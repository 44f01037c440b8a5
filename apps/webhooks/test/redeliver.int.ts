import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { redeliverWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import { statement } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { status } from './receiver.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
const pendingSql = statement<{ id: string }>('t.pending', 'SELECT id FROM webhooks.delivery WHERE webhook_id = $1');
const actsSql = statement<{ count: number }>(
  't.acts-of',
  `SELECT count(*)::integer AS count FROM webhooks.outbox
   WHERE payload::json #>> '{data,action}' = 'webhook.redelivered' AND payload::json ->> 'organizationId' = $1`,
);
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers);
});

describe('a re-delivery', () => {
  it('is refused while an attempt is under way, is in no log then, and is taken when the attempt has ended', async () => {
    const customer = newCustomer(running);
    const held = Promise.withResolvers<() => void>();
    const url = running.receiver.at('/held', (response) => held.resolve(() => void response.end()));
    const { id: webhookId } = await customer.register(url);
    await customer.receive('1');
    const release = await held.promise;
    const [delivery] = await running.superuser.query(pendingSql, [webhookId]);
    const by = () => ({ actId: newCuid(), userId: newCuid(), email: 'a@example.org', address: null, traceId: null });
    const request = { webhookId, deliveryId: delivery?.id ?? '' };
    const redeliver = () => running.gateway.call(redeliverWebhookRpc, customer.principal, { ...request, by: by() });
    const acts = async () => (await running.superuser.query(actsSql, [customer.organizationId]))[0]?.count;
    await expect(redeliver()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'An attempt of the delivery is under way: wait until it has ended',
    });
    expect(await acts()).toBe(0);
    running.receiver.at('/held', status(204));
    release();
    await eventually(async () => (await customer.attempts(webhookId)).length === 1);
    await redeliver();
    expect(await acts()).toBe(1);
    const attempts = await eventually(async () => {
      const all = await customer.attempts(webhookId);
      return all.length === 2 && all;
    });
    expect(attempts.map(({ kind }) => kind)).toEqual(['MANUAL', 'AUTOMATIC']);
  });
});
