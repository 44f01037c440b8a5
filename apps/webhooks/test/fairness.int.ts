import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { SubscribableEvent } from '@switchboard/contracts/webhooks/http';
import type { RunningService } from '@switchboard/platform';
import { eventually, testServers } from '@switchboard/testing';
import { storePublicEvents } from '../src/event/event.repository.js';
import { newCustomer, type Customer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
const WEBHOOKS = 20;
/** Of each webhook of the one who has many: 1,200 deliveries. */
const BACKLOG = 60;
const FEW = 20;
const SOON = { deadlineMs: 120_000 };
let running: RunningWebhooks;
let service: RunningService;

beforeAll(async () => {
  // What is answered too late, on a busy machine, is tried again soon.
  running = await startWebhooks(servers, 0.01, 0);
});

beforeEach(async () => {
  service = await running.start();
});

afterEach(() => service.stop());

/** Stores events of one type, each with its deliveries. No service may run, so that none of them leaves before the others are there. */
async function store({ organizationId }: Customer, type: SubscribableEvent, count: number): Promise<void> {
  const events = Array.from({ length: count }, () => {
    const id = newCuid();
    const body = JSON.stringify({ event: type, data: { id } });
    const of = { line: '', contactId: null, messageId: null, occurredAt: new Date().toISOString() };
    return { ...of, organizationId, type, id, body };
  });
  const database = await running.prepared.database();
  await database.transaction(async (tx) => void (await storePublicEvents(tx, events)));
}

/** How many events have arrived; one that was answered too late arrives twice. */
function delivered(path: string): number {
  return new Set(running.receiver.arrivals(path).map(({ dataId }) => dataId)).size;
}

/** @returns how many of the many had arrived when the last of the few did; the paths begin with these */
async function arrivedBefore(few: string, many: readonly string[]): Promise<number> {
  const last = await eventually(() => {
    const arrived = running.receiver.arrivals(few);
    return delivered(few) === FEW && arrived.at(-1);
  }, SOON);
  return many.flatMap((path) => running.receiver.arrivals(path)).filter(({ atMs }) => atMs < last.atMs).length;
}

describe('what one has few of', () => {
  it('leaves before the backlog of an organization with 20 webhooks is half done', async () => {
    const [large, small] = [newCustomer(running), newCustomer(running)];
    const paths = Array.from({ length: WEBHOOKS }, (_, index) => `/large-${index}`);
    for (const path of paths) await large.register(running.receiver.at(path));
    await small.register(running.receiver.at('/small'));
    await service.stop();
    await store(large, 'message.received', BACKLOG);
    await store(small, 'message.received', FEW);
    service = await running.start();
    expect(await arrivedBefore('/small', paths)).toBeLessThan((WEBHOOKS * BACKLOG) / 2);
    await eventually(() => paths.every((path) => delivered(path) === BACKLOG), SOON);
  });

  it('leaves before the backlog of another webhook of its organization is half done', async () => {
    const customer = newCustomer(running);
    await customer.register(running.receiver.at('/busy'), { events: ['message.received'] });
    await customer.register(running.receiver.at('/quiet'), { events: ['message.sent'] });
    await service.stop();
    await store(customer, 'message.received', WEBHOOKS * BACKLOG);
    await store(customer, 'message.sent', FEW);
    service = await running.start();
    expect(await arrivedBefore('/quiet', ['/busy'])).toBeLessThan((WEBHOOKS * BACKLOG) / 2);
  });
});
