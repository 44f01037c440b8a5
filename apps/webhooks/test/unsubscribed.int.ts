import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { conversationClosed } from '@switchboard/contracts/messaging/events';
import {
  changeWebhookRpc,
  getWebhookDeliveryRpc,
  redeliverWebhookRpc,
  replayWebhookRpc,
} from '@switchboard/contracts/webhooks/rpc';
import { statement } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { webhooksMigrations } from '../src/migrations/all.js';
import { queueSlice } from '../src/queue-replays/queue-slice.js';
import { insertReplay } from '../src/replay/replay.repository.js';
import { heldWebhook } from './held-webhook.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';
import { storeWebhook } from './stored-webhook.js';

const servers = testServers();
const pendingSql = statement<{ id: string }>(
  't.pending',
  'SELECT id FROM webhooks.delivery WHERE webhook_id = $1 AND attempt_id IS NULL ORDER BY id',
);
const subscribeSql = statement('t.subscribe', `UPDATE webhooks.webhook SET events = ARRAY[$2] WHERE id = $1`);
const ALL = { since: new Date(0).toISOString(), until: null, events: null, onlyMissed: true, dryRun: false };
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers, 0.001);
});

/** A webhook of a new customer whose receiver holds its first request. */
async function held(path: string) {
  const { customer, id, release } = await heldWebhook(running, path, ['message.received', 'conversation.closed']);
  const { gateway } = running;
  return {
    customer,
    id,
    release,
    waiting: (count: number) =>
      eventually(async () => {
        const rows = await running.superuser.query(pendingSql, [id]);
        return rows.length === count && rows;
      }),
    subscribe: (events: readonly ('message.received' | 'conversation.closed')[]) =>
      gateway.call(changeWebhookRpc, customer.principal, { id, events }),
    replay: (more: Partial<typeof ALL> = {}) =>
      gateway.call(replayWebhookRpc, customer.principal, { replayId: newCuid(), webhookId: id, ...ALL, ...more }),
    delivery: (deliveryId: string) =>
      gateway.call(getWebhookDeliveryRpc, customer.principal, { webhookId: id, deliveryId }),
  };
}

describe('deliveries of a type that is no longer subscribed to', () => {
  it('are dropped, for a replay of what was missed to find them, while the others go out', async () => {
    const { customer, id, release, waiting, subscribe, replay, delivery } = await held('/unsubscribed');
    for (const text of ['2', '3', '4']) await customer.receive(text);
    const unwanted = await waiting(3);
    const { organizationId } = customer;
    const aggregateId = newCuid();
    const data = { conversation: { id: aggregateId } as never };
    await running.publish({ event: conversationClosed, organizationId, aggregateId, sequence: 1, data });
    await waiting(4);
    await subscribe(['conversation.closed']);
    const [one] = unwanted;
    expect(await delivery(one?.id ?? '')).toMatchObject({ state: 'DROPPED', nextAttemptAt: null });
    release();
    await waiting(0);
    const arrived = () => running.receiver.arrivals('/unsubscribed').map(({ event }) => event);
    await eventually(() => arrived().length === 2);
    expect(arrived()).toEqual(['message.received', 'conversation.closed']);
    for (const { id: deliveryId } of unwanted) {
      expect(await delivery(deliveryId)).toMatchObject({ state: 'DROPPED', attempts: [] });
    }
    // By hand it is sent all the same.
    const again = { webhookId: id, deliveryId: one?.id ?? '' };
    await running.gateway.call(redeliverWebhookRpc, customer.principal, again);
    await eventually(() => arrived().length === 3);
    await subscribe(['message.received', 'conversation.closed']);
    expect(await replay()).toEqual({ count: 2 });
    await eventually(() => arrived().length === 5);
  });

  it('are dropped of a replay that is under way, too', async () => {
    const { customer, release, waiting, subscribe, replay } = await held('/replayed');
    for (const text of ['2', '3']) await customer.receive(text);
    await waiting(2);
    expect(await replay({ onlyMissed: false })).toEqual({ count: 3 });
    await waiting(5);
    await subscribe(['conversation.closed']);
    release();
    await waiting(0);
    expect(running.receiver.arrivals('/replayed')).toHaveLength(1);
  });

  it('are not queued by a replay that goes on', async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    const [database, superuser] = [await prepared.database(), await prepared.superuser()];
    const { organizationId, id: webhookId } = await storeWebhook(database, 3);
    const key = { organizationId, webhookId, id: newCuid() };
    const period = {
      after: 0,
      upTo: 3,
      since: new Date(0),
      until: null,
      types: ['message.received'],
      onlyMissed: false,
    };
    await database.transaction((tx) => insertReplay(tx, { ...key, ...period, replayId: key.id }, 3));
    await superuser.query(subscribeSql, [webhookId, 'conversation.closed']);
    expect(await queueSlice(database, key)).toMatchObject({ queued: 0, end: 'FINISHED' });
  });
});
