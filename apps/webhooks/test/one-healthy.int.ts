import { describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { status } from './receiver.js';
import { startWebhooks } from './running-webhooks.js';

const servers = testServers();
const HANGING = 10;
const FAILING = 9;
/** Of one conversation, each for all 20 webhooks. */
const EVENTS = 100;
/** Of a request, in place of 10 s: those that hang do so for as long as a busy machine needs for the healthy one's events. */
const DEADLINE_MS = 180_000;

describe('a healthy webhook next to 19 of its organization whose receivers hang or fail', () => {
  it('gets each event once, in the order of their conversation, before any of the requests that hang has ended', async () => {
    const running = await startWebhooks(servers, 1, 1, DEADLINE_MS);
    const customer = newCustomer(running);
    const paths = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `/${kind}-${index}`);
    const hanging = paths('hanging', HANGING);
    const failing = paths('failing', FAILING);
    for (const path of hanging) await customer.register(running.receiver.at(path, () => undefined));
    for (const path of failing) await customer.register(running.receiver.at(path, status(500)));
    const { id } = await customer.register(running.receiver.at('/healthy'));
    const conversation = newCuid();
    const first = await customer.receive('first', conversation);
    // Whatever the others hold of the process, and of what their organization may have of it, they hold by now.
    const bad = [...hanging, ...failing];
    await eventually(() => bad.every((path) => running.receiver.arrivals(path).length > 0));
    const sent = [first];
    for (let event = 1; event < EVENTS; event++) sent.push(await customer.receive(`${event}`, conversation));
    await eventually(() => running.receiver.arrivals('/healthy').length >= EVENTS, { deadlineMs: DEADLINE_MS / 2 });
    expect(running.receiver.arrivals('/healthy').map(({ dataId }) => dataId)).toEqual(sent);
    // Each of them has its first request under way still, and what waits behind it has cost nothing.
    for (const path of hanging) expect([path, running.receiver.arrivals(path).length]).toEqual([path, 1]);
    expect(await customer.webhook(id)).toMatchObject({ status: 'ACTIVE', consecutiveFailures: 0 });
  });
});
