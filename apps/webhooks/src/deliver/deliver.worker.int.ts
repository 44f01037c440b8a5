import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { deleteWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import { statement } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer } from '../../test/customer.js';
import { startWebhooks, type RunningWebhooks } from '../../test/running-webhooks.js';
import { LaneBook } from './lane-book.js';

const servers = testServers();
const countSql = statement<{ pending: number; dropped: number }>(
  't.deliveries-of-webhook',
  `SELECT (SELECT count(*)::integer FROM webhooks.delivery WHERE webhook_id = $1) AS pending,
     (SELECT count(*)::integer FROM webhooks.dropped_delivery WHERE webhook_id = $1) AS dropped`,
);
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers);
}, 120_000);

describe('a webhook that is deleted while its deliveries are in memory', () => {
  it('is forgotten by the worker, and they are dropped', async () => {
    const lost = jest.spyOn(LaneBook.prototype, 'lost');
    const customer = newCustomer(running);
    const held = Promise.withResolvers<() => void>();
    const url = running.receiver.at('/deleted', (response) => held.resolve(() => void response.end()));
    const { id } = await customer.register(url);
    const conversationId = newCuid();
    for (const text of ['1', '2', '3']) await customer.receive(text, conversationId);
    const release = await held.promise;
    await eventually(async () => (await running.superuser.query(countSql, [id]))[0]?.pending === 3);
    await running.gateway.call(deleteWebhookRpc, customer.principal, { id });
    release();
    await eventually(() => lost.mock.calls.some(([webhookId]) => webhookId === id));
    await eventually(async () => (await running.superuser.query(countSql, [id]))[0]?.pending === 0);
    expect(await running.superuser.query(countSql, [id])).toEqual([{ pending: 0, dropped: 2 }]);
    expect(running.receiver.arrivals('/deleted')).toHaveLength(1);
  }, 60_000);
});
