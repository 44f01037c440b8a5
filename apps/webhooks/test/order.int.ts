import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { listEventsRpc, replayWebhookRpc } from '@switchboard/contracts/webhooks/rpc';
import { createLog } from '@switchboard/platform';
import { statement } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { raiseFeed } from '../src/event/restored-feed.js';
import { newCustomer, type Customer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
const pendingSql = statement('t.pending', 'SELECT FROM webhooks.delivery WHERE event_id = ANY ($1::text[])');
const removeSql = statement('t.remove-delivery', 'DELETE FROM webhooks.delivery WHERE event_id = $1');
const lockSql = statement('t.lock-delivery', 'SELECT FROM webhooks.delivery WHERE event_id = $1 FOR UPDATE');
/** Longer than a request may begin after its turn. */
const waitingSql = statement(
  't.waiting-for-long',
  `SELECT FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'
     AND clock_timestamp() - query_start > interval '4.2 s'`,
);
let running: RunningWebhooks;
beforeAll(async () => {
  running = await startWebhooks(servers);
});

interface Page {
  readonly ids: readonly string[];
  readonly cursor: string;
}

async function readFeed(customer: Customer, cursor: string | null): Promise<Page> {
  const request = { limit: 100, cursor, types: null, from: null };
  const { bodies, nextCursor } = await running.gateway.call(listEventsRpc, customer.principal, request);
  return { ids: bodies.map((body) => (JSON.parse(body) as { data: { id: string } }).data.id), cursor: nextCursor };
}

describe('an event that comes before the one that precedes it in its conversation', () => {
  it('waits for it, at the webhook and in the feed, while other conversations go on', async () => {
    const customer = newCustomer(running);
    await customer.register(running.receiver.at('/order'));
    const conversationId = newCuid();
    const first = await customer.receive('1', conversationId, 1);
    // As after the crash of a reader that had taken the second one.
    const third = await customer.receive('3', conversationId, 3);
    const fourth = await customer.receive('4', conversationId, 4);
    const other = await customer.receive('other');
    const arrived = (): string[] => running.receiver.arrivals('/order').map(({ dataId }) => dataId);
    await eventually(() => arrived().includes(other));
    expect(arrived().toSorted()).toEqual([first, other].toSorted());
    const second = await customer.receive('2', conversationId, 2);
    await eventually(() => arrived().length === 5);
    expect(arrived().filter((id) => id !== other)).toEqual([first, second, third, fourth]);
    expect((await readFeed(customer, null)).ids.filter((id) => id !== other)).toEqual([first, second, third, fourth]);
  });

  it.each([
    ['that have just occurred', 0],
    ['that occurred long ago, as after an outage', 600_000],
  ])('is stored right behind it, with many others of its conversation %s', async (_when, ageMs) => {
    const customer = newCustomer(running);
    const path = `/many-${ageMs}`;
    await customer.register(running.receiver.at(path));
    const arrived = (): string[] => running.receiver.arrivals(path).map(({ dataId }) => dataId);
    const conversationId = newCuid();
    const occurredAt = new Date(Date.now() - ageMs);
    const receive = (number: number) => customer.receive(`${number}`, conversationId, number, occurredAt);
    const expected = [await receive(1)];
    const early: string[] = [];
    for (let number = 60; number > 2; number--) early.push(await receive(number));
    const other = await customer.receive('other');
    await eventually(() => arrived().includes(other));
    expect(arrived().toSorted()).toEqual([expected[0], other].toSorted());
    expected.push(await receive(2), ...early.reverse());
    // One at a time, each after a pause of its own, would take minutes.
    await eventually(() => arrived().length === expected.length + 1, { deadlineMs: 60_000 });
    expect(arrived().filter((id) => id !== other)).toEqual(expected);
    expect((await readFeed(customer, null)).ids.filter((id) => id !== other)).toEqual(expected);
  });
});

describe('an attempt that is marked, and begins too late to be sent', () => {
  it('is the next one of its conversation again, and no later event overtakes it', async () => {
    const customer = newCustomer(running);
    const held = Promise.withResolvers<() => void>();
    let isHeld = true;
    const url = running.receiver.at('/late', (response) => {
      if (isHeld) held.resolve(() => void response.end());
      else response.end();
    });
    await customer.register(url);
    const conversationId = newCuid();
    const ids: string[] = [];
    for (const text of ['1', '2', '3', '4']) ids.push(await customer.receive(text, conversationId));
    const release = await held.promise;
    await eventually(async () => (await running.superuser.query(pendingSql, [ids])).length === ids.length);
    await running.superuser.transaction(async (tx) => {
      await tx.query(lockSql, [ids[1]]);
      isHeld = false;
      release();
      // The turn that marks the second one is not committed before 4 s.
      await eventually(async () => (await running.superuser.query(waitingSql, [running.prepared.name])).length > 0);
    });
    await eventually(() => running.receiver.arrivals('/late').length === ids.length);
    expect(running.receiver.arrivals('/late').map(({ dataId }) => dataId)).toEqual(ids);
  });
});

describe('a delivery that has gone before its attempt begins', () => {
  it('takes no place of others, and holds up no later event of its conversation', async () => {
    const customer = newCustomer(running);
    const held = new Map<string, () => void>();
    const url = running.receiver.at('/gone', (response, { body, dataId }) => {
      if (body.includes('held')) held.set(dataId, () => void response.end());
      else response.end();
    });
    await customer.register(url);
    const arrived = (): readonly string[] => running.receiver.arrivals('/gone').map(({ dataId }) => dataId);
    const conversationId = newCuid();
    // Two may be under way after a success.
    const first = await customer.receive('first');
    await eventually(() => arrived().includes(first));
    const earlier = await customer.receive('held', conversationId);
    await eventually(() => held.has(earlier));
    const gone = await customer.receive('gone', conversationId);
    const later = await customer.receive('later', conversationId);
    await eventually(async () => (await running.superuser.query(pendingSql, [[gone, later]])).length === 2);
    // With it the worker has read what waits for the earlier one.
    const other = await customer.receive('held');
    await eventually(() => held.has(other));
    const behind = [await customer.receive('held'), await customer.receive('held')];
    await eventually(async () => (await running.superuser.query(pendingSql, [behind])).length === 2);
    await running.superuser.query(removeSql, [gone]);
    // Four may be under way after the success of the earlier one, and the other is: there are places for three.
    held.get(earlier)?.();
    // Before the other is over, which is given up after 60 s.
    await eventually(() => [later, ...behind].every((id) => arrived().includes(id)), { deadlineMs: 50_000 });
    expect(arrived()).not.toContain(gone);
    for (const end of held.values()) end();
  });
});

describe('a database from a backup', () => {
  it('gives a reader that goes on with its cursor every event that comes, of new organizations too, and replays over the gap', async () => {
    const known = newCustomer(running);
    const before = [await known.receive('1'), await known.receive('2')];
    const { cursor } = await eventually(async () => {
      const page = await readFeed(known, null);
      return page.ids.length === 2 && page;
    });
    const restore = { writtenBefore: new Date(), number: 1, lastNumber: 2 };
    const log = createLog('test', { write: () => undefined });
    await raiseFeed(await running.prepared.database(), restore, log);
    // A position that the state that is gone had given: of an event behind those that the backup holds.
    const lost = `c${(Number.parseInt(cursor.slice(1), 36) + 50).toString(36).padStart(24, '0')}`;
    const since = await known.receive('3');
    const next = await eventually(async () => {
      const page = await readFeed(known, lost);
      return page.ids.length > 0 && page;
    });
    expect(next.ids).toEqual([since]);
    expect((await readFeed(known, null)).ids).toEqual([...before, since]);
    const webhook = await known.register(running.receiver.at('/replayed'));
    const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
    const all = {
      webhookId: webhook.id,
      since: anHourAgo,
      until: null,
      events: null,
      onlyMissed: false,
      dryRun: false,
    };
    const replay = { ...all, replayId: newCuid() };
    expect(await running.gateway.call(replayWebhookRpc, known.principal, replay)).toEqual({ count: 3 });
    await eventually(() => running.receiver.arrivals('/replayed').length === 3);
    const fresh = newCustomer(running);
    const first = await fresh.receive('1');
    await eventually(async () => (await readFeed(fresh, `c${'50'.padStart(24, '0')}`)).ids.includes(first));
  });
});
