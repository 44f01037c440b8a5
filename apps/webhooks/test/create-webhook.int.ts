import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { cuidFloor, newCuid } from '@switchboard/contracts/grammar/cuid';
import { createWebhookRpc, listWebhooksRpc } from '@switchboard/contracts/webhooks/rpc';
import { subscribableEvents } from '@switchboard/contracts/webhooks/http';
import { statement } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
/** As a service that began long ago. */
const beganSql = statement('t.began-long-ago', `UPDATE webhooks.beginning SET event_id = ''`);
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers);
  await running.superuser.query(beganSql, []);
});

afterEach(() => void jest.restoreAllMocks());

describe('a new webhook', () => {
  it('is sent what occurs from then on, though the clock of the gateway is ahead and that of the emitter behind', async () => {
    const customer = newCustomer(running);
    const webhook = await customer.register(running.receiver.at('/clocks-differ'), { id: idAt(60) });
    await customer.receive('of a slow clock', newCuid(), 1, new Date(), idAt(-50));
    const [attempt] = await eventually(async () => {
      const attempts = await customer.attempts(webhook.id);
      return attempts.length > 0 && attempts;
    });
    expect(attempt).toMatchObject({ outcome: 'SUCCEEDED' });
  });

  it('is not sent what occurred long before, and was only stored since', async () => {
    const customer = newCustomer(running);
    const webhook = await customer.register(running.receiver.at('/long-before'));
    const conversation = newCuid();
    await customer.receive('long before', conversation, 1, new Date(), idAt(-70));
    await customer.receive('now', conversation, 2);
    await eventually(async () => (await customer.attempts(webhook.id)).length > 0);
    // In the order of their conversation: what is not sent by now never is.
    expect(await customer.attempts(webhook.id)).toHaveLength(1);
  });

  it('is one for a request that is repeated with its Idempotency-Key, also at the limit, after a change and while its name does not resolve', async () => {
    const customer = newCustomer(running);
    const url = running.receiver.at('/repeated');
    const keyed = { keySha256: 'a'.repeat(64), bodySha256: 'b'.repeat(64) };
    const create = (of = keyed, by = customer, to = url) =>
      running.gateway.call(createWebhookRpc, by.principal, {
        id: newCuid(),
        url: to,
        events: subscribableEvents,
        description: null,
        keyed: of,
      });
    const answers = await Promise.all([create(), create(), create()]);
    expect(new Set(answers.map(({ webhook, secret }) => `${webhook.id} ${secret}`)).size).toBe(1);
    expect(answers.filter(({ isRepetition }) => isRepetition)).toHaveLength(2);
    for (let count = 1; count < 20; count++) await customer.register(url);
    expect(await create()).toMatchObject({ webhook: { id: answers[0]?.webhook.id }, isRepetition: true });
    // The same request, by its body: its URL was judged when it was registered, and its name may not resolve now.
    const unresolved = 'http://gone.invalid/';
    expect(await create(keyed, customer, unresolved)).toMatchObject({ webhook: { url }, isRepetition: true });
    for (const to of [url, unresolved]) {
      const other = create({ ...keyed, bodySha256: 'c'.repeat(64) }, customer, to);
      await expect(other).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    const page = { limit: 100, cursor: null };
    expect((await running.gateway.call(listWebhooksRpc, customer.principal, page)).items).toHaveLength(20);
    for (const key of [keyed, { ...keyed, bodySha256: 'd'.repeat(64) }]) {
      expect(await create(key, newCustomer(running))).not.toHaveProperty('isRepetition');
    }
  });
});

describe('a new webhook while the clock of the database is hours from those of the services', () => {
  it.each([
    ['behind', 300],
    ['ahead', -300],
  ])('is sent what occurs from then on, and not what was held up for long: %s', async (name, minutes) => {
    const { now } = Date;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + minutes * 60_000);
    const customer = newCustomer(running);
    const webhook = await customer.register(running.receiver.at(`/database-${name}`), { id: idAt(0) });
    const conversation = newCuid();
    await customer.receive('long before', conversation, 1, new Date(), idAt(-70));
    const sent = await customer.receive('now', conversation, 2, new Date(), idAt(0));
    await eventually(async () => (await customer.attempts(webhook.id)).length > 0);
    expect((await customer.attempts(webhook.id)).map(({ dataId }) => dataId)).toEqual([sent]);
  });
});

/** An id as a clock draws it that differs by some minutes from ours. */
function idAt(minutes: number): string {
  return cuidFloor(new Date(Date.now() + minutes * 60_000)) + newCuid().slice(9);
}
