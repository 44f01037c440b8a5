import { beforeAll, describe, expect, it } from '@jest/globals';
import { cuidFloor, newCuid } from '@switchboard/contracts/grammar/cuid';
import { listEventsRpc } from '@switchboard/contracts/webhooks/rpc';
import { PROVISIONER, restartConsumers } from '@switchboard/nats';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer, type Customer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers);
});

function arrived(path: string): readonly string[] {
  return running.receiver.arrivals(path).map(({ dataId }) => dataId);
}

async function feed({ principal }: Customer): Promise<readonly string[]> {
  const request = { limit: 100, cursor: null, types: null, from: null };
  const { bodies } = await running.gateway.call(listEventsRpc, principal, request);
  return bodies.map((body) => (JSON.parse(body) as { data: { id: string } }).data.id);
}

describe('a consumer that begins with the stream', () => {
  it('sends nothing again of what was sent before it was made anew, and nothing is twice in the feed', async () => {
    const customer = newCustomer(running);
    await customer.register(running.receiver.at('/made-anew'));
    const conversationId = newCuid();
    const ids = [await customer.receive('1', conversationId), await customer.receive('2', conversationId)];
    await eventually(() => arrived('/made-anew').length === 2);
    await restartConsumers(await running.nats.connect(PROVISIONER), ['webhooks']);
    // Behind the others in the stream, and in its conversation.
    ids.push(await customer.receive('3', conversationId));
    await eventually(() => arrived('/made-anew').includes(ids.at(-1) ?? ''));
    expect(arrived('/made-anew')).toEqual(ids);
    expect(await feed(customer)).toEqual(ids);
  });

  it('passes by what is older than the schema', async () => {
    const customer = newCustomer(running);
    await customer.register(running.receiver.at('/new-service'));
    const conversationId = newCuid();
    const oldId = cuidFloor(new Date(Date.now() - 60 * 60_000)) + newCuid().slice(9);
    await customer.receive('before', conversationId, 1, new Date(), oldId);
    const id = await customer.receive('since', conversationId, 2);
    await eventually(() => arrived('/new-service').includes(id));
    expect(arrived('/new-service')).toEqual([id]);
    expect(await feed(customer)).toEqual([id]);
  });
});
