import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { WebhookActor } from '@switchboard/contracts/webhooks/events';
import { testWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import { statement } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { status, type Answer } from './receiver.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
const actSql = statement<{ payload: string }>('t.act', 'SELECT payload FROM webhooks.outbox WHERE id = $1');
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers);
});

const newActor = (): WebhookActor => {
  return { actId: newCuid(), userId: newCuid(), email: 'a@example.org', address: null, traceId: null };
};

async function tested(path: string, answer?: Answer) {
  const customer = newCustomer(running);
  const { id } = await customer.register(running.receiver.at(path, answer));
  const by = newActor();
  return {
    by,
    send: () => running.gateway.call(testWebhookRpc, customer.principal, { id, by }),
    attempts: () => customer.attempts(id),
  };
}

describe('a test send', () => {
  it('that is asked for again makes one request, and is answered as the first time', async () => {
    const { by, send, attempts } = await tested('/again', status(418));
    const first = await send();
    expect(first).toMatchObject({ delivered: false, responseStatus: 418 });
    expect(await send()).toEqual(first);
    expect(running.receiver.arrivals('/again').map(({ dataId }) => dataId)).toEqual([by.actId]);
    expect(await attempts()).toHaveLength(1);
  });

  it('that is asked for again while it is under way makes one request', async () => {
    const held = Promise.withResolvers<void>();
    const { send, attempts } = await tested('/held', (response) => void held.promise.then(() => response.end()));
    const first = send();
    await eventually(() => running.receiver.arrivals('/held').length === 1);
    const second = send();
    held.resolve();
    expect(await second).toEqual(await first);
    expect(running.receiver.arrivals('/held')).toHaveLength(1);
    expect(await attempts()).toHaveLength(1);
  });

  it('is in the audit log before its request has ended, once', async () => {
    const held = Promise.withResolvers<void>();
    const { by, send } = await tested('/audited', (response) => void held.promise.then(() => response.end()));
    const ended = send();
    await eventually(() => running.receiver.arrivals('/audited').length === 1);
    const acts = await running.superuser.query(actSql, [by.actId]);
    held.resolve();
    await ended;
    expect(acts.map(({ payload }) => JSON.parse(payload) as unknown)).toMatchObject([
      { data: { action: 'webhook.tested', after: { deliveryId: by.actId }, by } },
    ]);
  });
});
