import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallbackReceiver } from '../test/callback-receiver.js';
import { SimulatorHarness } from '../test/harness.js';

let receiver: CallbackReceiver;

beforeAll(async () => {
  receiver = await new CallbackReceiver().start();
});

afterAll(async () => {
  await SimulatorHarness.stopAll();
  await CallbackReceiver.stopAll();
});

describe('the record of statuses that were taken', () => {
  it('has what was answered 200 and nothing else, over a kill that cut a line short', async () => {
    const sim = await SimulatorHarness.start({ callbackUrl: receiver.url });
    await sim.control('PUT', 'knobs', { callbackDelayMs: { sent: 0, delivered: 0, read: null } });
    receiver.answers.push(503, 500);
    const id = await accepted(sim);
    await sim.callbacksDone();
    const [first, ...others] = await taken(sim);

    expect([first, ...others]).toEqual([
      { id, status: 'sent' },
      { id, status: 'delivered' },
    ]);
    const change = (dataDir: string): void => appendFileSync(join(dataDir, 'taken-statuses.txt'), 'wamid.CUT del');
    const next = await SimulatorHarness.start({ callbackUrl: receiver.url, copyOf: sim, change });
    await next.control('PUT', 'knobs', { callbackDelayMs: { sent: 0, delivered: null, read: null } });
    const later = await accepted(next);
    await next.callbacksDone();
    expect(await taken(next)).toEqual([first, ...others, { id: later, status: 'sent' }]);
  });

  it('is read on from a cursor, has nothing that was not taken, and is empty after DELETE', async () => {
    const sim = await SimulatorHarness.start({ callbackUrl: receiver.url });
    await sim.control('PUT', 'knobs', { callbackDelayMs: { sent: 0, delivered: null, read: null } });
    await accepted(sim);
    await sim.callbacksDone();
    const { nextCursor } = (await sim.control('GET', 'statuses')).body;
    const id = await accepted(sim);
    await sim.callbacksDone();

    expect((await sim.control('GET', `statuses?cursor=${String(nextCursor)}`)).body['items']).toEqual([
      { id, status: 'sent' },
    ]);
    expect((await sim.control('GET', 'statuses?cursor=x')).status).toBe(400);
    await sim.control('DELETE', 'requests');
    await sim.control('PUT', 'callback', { url: 'http://127.0.0.1:9/unreachable' });
    await accepted(sim);
    await sim.until('health', (health) => health['callbacks']?.['retrying']?.valueOf() === 1);
    expect(await taken(sim)).toEqual([]);
  });
});

async function accepted(sim: SimulatorHarness): Promise<unknown> {
  return (await sim.send()).body['messages']?.[0]?.['id'];
}

async function taken(sim: SimulatorHarness): Promise<readonly unknown[]> {
  return [...((await sim.control('GET', 'statuses')).body['items'] ?? [])];
}
