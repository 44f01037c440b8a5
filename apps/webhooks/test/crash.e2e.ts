import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { listEventsRpc } from '@switchboard/contracts/webhooks/rpc';
import { eventually, SeededRandom, testServers } from '@switchboard/testing';
import { newCustomer, type Customer } from './customer.js';
import { status } from './receiver.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';
import { startProcess, type ServiceProcess } from './service-process.js';

const servers = testServers();
const REPLICAS = 4;
const KILLS = 4;
const EVENTS = 120;
let running: RunningWebhooks;
let replicas: ServiceProcess[];

const start = (): Promise<ServiceProcess> => startProcess(servers.onEnd, running.environment);

beforeAll(async () => {
  running = await startWebhooks(servers, 0.002, 0);
  // A process that is killed takes requests with it: they are asked again when their time is over.
  running.gateway.isPatient = false;
  replicas = await Promise.all(Array.from({ length: REPLICAS }, start));
  process.stderr.write(`replicas: ${replicas.map(({ pid }) => pid).join(', ')}\n`);
});

/** Kills a replica as a crash does and starts another in its place. */
async function replace(index: number): Promise<void> {
  await replicas[index]?.kill();
  replicas[index] = await start();
}

describe('four replicas as OS processes', () => {
  it('send exactly 10 requests to receivers that are dead from the start, over crashes too', async () => {
    const random = new SeededRandom(11);
    const customers = Array.from({ length: 4 }, () => newCustomer(running));
    const dead = await Promise.all(
      customers.map(async (customer, index) => {
        const path = `/dead-${index}`;
        return { customer, path, webhook: await customer.register(running.receiver.at(path, status(500))) };
      }),
    );
    for (const customer of customers) for (let event = 0; event < 6; event++) await customer.receive(`${event}`);
    await replace(random.integer(0, REPLICAS));
    for (const { customer, path, webhook } of dead) {
      await eventually(async () => (await customer.webhook(webhook.id)).status === 'DEACTIVATED', {
        deadlineMs: 120_000,
      });
      const attempts = await customer.attempts(webhook.id);
      // A request that a crash interrupted may not have left: its attempt counts all the same.
      const interrupted = attempts.filter(({ error }) => error === 'interrupted').length;
      expect(attempts).toHaveLength(10);
      expect(running.receiver.arrivals(path).length).toBeLessThanOrEqual(10);
      expect(running.receiver.arrivals(path).length).toBeGreaterThanOrEqual(10 - interrupted);
    }
  });

  it('lose no event and send each with the same bytes, whenever one of them is killed; the feed has each once', async () => {
    const random = new SeededRandom(12);
    const customer = newCustomer(running);
    const webhook = await customer.register(running.receiver.at('/kept'));
    const conversations = Array.from({ length: 12 }, () => newCuid());
    const read = readFeed(customer);
    const ids: string[] = [];
    const kills = new Set<number>();
    // Drawn until there are as many: the same event may be drawn twice.
    while (kills.size < KILLS) kills.add(random.integer(5, EVENTS - 5));
    let replacing: Promise<void> = Promise.resolve();
    let replaced = 0;
    for (let event = 0; event < EVENTS; event++) {
      ids.push(await customer.receive(`${event}`, conversations[event % conversations.length]));
      if (kills.has(event)) {
        await replacing;
        replacing = replace(random.integer(0, REPLICAS)).then(() => void replaced++);
      }
    }
    await replacing;
    expect(replaced).toBe(KILLS);
    const arrived = () => new Set(running.receiver.arrivals('/kept').map(({ dataId }) => dataId));
    await eventually(() => arrived().size === EVENTS, { deadlineMs: 150_000 });
    expect([...arrived()].sort()).toEqual([...ids].sort());
    await audit(webhook.id, ids);
    expect((await read.until(EVENTS)).toSorted()).toEqual(ids.toSorted());
  });
});

/** Events, deliveries, attempts and arrivals agree. */
async function audit(webhookId: string, ids: readonly string[]): Promise<void> {
  const { dataSource } = running.superuser;
  const pending = 'SELECT count(*)::integer AS count FROM webhooks.delivery WHERE webhook_id = $1';
  await eventually(
    async () => {
      const [row]: { count: number }[] = await dataSource.query(pending, [webhookId]);
      return row?.count === 0;
    },
    { deadlineMs: 60_000 },
  );
  const attempts: { event_id: string; outcome: string; error: string | null }[] = await dataSource.query(
    'SELECT event_id, outcome, error FROM webhooks.attempt WHERE webhook_id = $1',
    [webhookId],
  );
  const succeeded = attempts.filter(({ outcome }) => outcome === 'SUCCEEDED').map(({ event_id }) => event_id);
  expect(succeeded.toSorted()).toEqual(ids.toSorted());
  const failed = attempts.filter(({ outcome }) => outcome === 'FAILED');
  expect(failed.every(({ error }) => error === 'interrupted')).toBe(true);
  const arrivals = running.receiver.arrivals('/kept');
  expect(arrivals.length).toBeLessThanOrEqual(attempts.length);
  for (const [, same] of Map.groupBy(arrivals, ({ dataId }) => dataId)) {
    expect(new Set(same.map(({ body }) => body)).size).toBe(1);
  }
  const stored: { id: string }[] = await dataSource.query('SELECT id FROM webhooks.event WHERE id = ANY ($1::text[])', [
    ids,
  ]);
  expect(stored).toHaveLength(ids.length);
}

/** Polls the feed from now on, as an integrator does. */
function readFeed(customer: Customer): { until(count: number): Promise<string[]> } {
  const seen: string[] = [];
  let cursor: string | null = null;
  const poll = async (): Promise<void> => {
    const request = { limit: 20, cursor, types: null, from: null };
    const page = await running.gateway.call(listEventsRpc, customer.principal, request).catch(() => null);
    if (page === null) return;
    cursor = page.nextCursor;
    seen.push(...page.bodies.map((body) => (JSON.parse(body) as { data: { id: string } }).data.id));
  };
  let isOver = false;
  const polling = (async () => {
    while (!isOver) {
      await poll();
      await new Promise(setImmediate);
    }
  })();
  return {
    until: async (count) => {
      await eventually(() => seen.length >= count, { deadlineMs: 60_000 });
      isOver = true;
      await polling;
      await poll();
      return seen;
    },
  };
}
