import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import {
  deleteWebhookRpc,
  enableWebhookRpc,
  listMessageDeliveriesRpc,
  redeliverWebhookRpc,
  replayWebhookRpc,
} from '@switchboard/contracts/webhooks/rpc';
import { statement } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer, type Customer } from './customer.js';
import { status } from './receiver.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
const messageSql = statement<{ id: string }>(
  't.message-of-event',
  'SELECT message_id AS id FROM webhooks.event WHERE id = $1',
);
const deactivateSql = statement(
  't.deactivate',
  `WITH lane AS (UPDATE webhooks.lane SET is_open = false WHERE webhook_id = $1)
   UPDATE webhooks.webhook SET deactivated_at = now(), deactivated_reason = 'a test' WHERE id = $1`,
);
const ALL = { since: new Date(0).toISOString(), until: null, events: null, onlyMissed: true, dryRun: false };
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers, 0.001);
});

/** What the timeline of an event's message says of webhooks. */
async function stepsOf(customer: Customer, eventId: string): Promise<readonly string[]> {
  const messageId = await eventually(async () => (await running.superuser.query(messageSql, [eventId]))[0]?.id);
  const { items } = await running.gateway.call(listMessageDeliveriesRpc, customer.principal, { messageId });
  return items.map(({ what, detail }) => `${what}: ${detail}`);
}

/** @param isOver nothing waits */
function stepsLater(customer: Customer, eventId: string, count: number, isOver = true): Promise<readonly string[]> {
  return eventually(async () => {
    const steps = await stepsOf(customer, eventId);
    return steps.length === count && !(isOver && steps.some((step) => step.startsWith('webhook pending'))) && steps;
  });
}

describe('the timeline of a message', () => {
  it('shows what a replay and a re-delivery have sent, and goes on to when the webhook is deleted', async () => {
    const customer = newCustomer(running);
    const { gateway } = running;
    const { principal } = customer;
    const { id } = await customer.register(running.receiver.at('/again', status(500)), {
      events: ['message.received'],
    });
    const eventId = await customer.receive('1');
    const failed = [1, 2, 3].map(
      (n) => `webhook not informed: Webhook ${id} did not take message.received in attempt ${n}: HTTP 500.`,
    );
    expect(await stepsLater(customer, eventId, 3)).toEqual(failed);
    running.receiver.at('/again', status(204));
    await gateway.call(replayWebhookRpc, principal, { replayId: newCuid(), webhookId: id, ...ALL });
    const informed = `webhook informed: Webhook ${id} got message.received in attempt`;
    const replayed = [...failed, `${informed} 1 of a replay: HTTP 204.`];
    expect(await stepsLater(customer, eventId, 4)).toEqual(replayed);
    const first = (await customer.attempts(id)).at(-1);
    await gateway.call(redeliverWebhookRpc, principal, { webhookId: id, deliveryId: first?.deliveryId ?? '' });
    const all = [...replayed, `${informed} 4 of a re-delivery: HTTP 204.`];
    expect(await stepsLater(customer, eventId, 5)).toEqual(all);
    await gateway.call(deleteWebhookRpc, principal, { id });
    expect(await stepsOf(customer, eventId)).toEqual(all);
    expect(await stepsOf(newCustomer(running), eventId)).toEqual([]);
  });

  it('shows what waits of a replay, what was dropped of it, and what came while the webhook was deactivated', async () => {
    const customer = newCustomer(running);
    const { gateway } = running;
    const { principal } = customer;
    const { id } = await customer.register(running.receiver.at('/waits'), { events: ['message.received'] });
    await running.superuser.query(deactivateSql, [id]);
    const eventId = await customer.receive('1');
    expect(await stepsOf(customer, eventId)).toEqual([]);
    const held = Promise.withResolvers<() => void>();
    running.receiver.at('/waits', (response) => held.resolve(() => void response.end()));
    await gateway.call(enableWebhookRpc, principal, { id });
    await customer.receive('2');
    const release = await held.promise;
    await gateway.call(replayWebhookRpc, principal, { replayId: newCuid(), webhookId: id, ...ALL });
    const [waiting] = await stepsLater(customer, eventId, 1, false);
    expect(waiting).toContain(`webhook pending: Webhook ${id} gets message.received in attempt 1 of a replay, due `);
    await running.superuser.query(deactivateSql, [id]);
    release();
    running.receiver.at('/waits', status(204));
    const dropped = `webhook not informed: Webhook ${id} was deactivated, deleted or unsubscribed before it got message.received of a replay.`;
    await eventually(async () => (await stepsOf(customer, eventId)).join() === dropped);
    await gateway.call(enableWebhookRpc, principal, { id });
    await gateway.call(replayWebhookRpc, principal, { replayId: newCuid(), webhookId: id, ...ALL });
    const steps = await stepsLater(customer, eventId, 2);
    expect(steps).toEqual([
      dropped,
      `webhook informed: Webhook ${id} got message.received in attempt 1 of a replay: HTTP 204.`,
    ]);
  });
});
