import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { conversationClosed } from '@switchboard/contracts/messaging/events';
import type { WebhookActor } from '@switchboard/contracts/webhooks/events';
import {
  changeWebhookRpc,
  deleteWebhookRpc,
  enableWebhookRpc,
  listEventsRpc,
  replayWebhookRpc,
  rotateWebhookSecretRpc,
  testWebhookRpc,
  type ListEventsRequest,
  type ReplayWebhookRequest,
} from '@switchboard/contracts/webhooks/rpc';
import { Database, statement } from '@switchboard/postgres';
import { eventually, testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { status } from './receiver.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
const actsSql = statement<{ id: string; action: string; payload: string }>(
  't.acts',
  `SELECT id, payload::json #>> '{data,action}' AS action, payload FROM webhooks.outbox
   WHERE payload::json ->> 'organizationId' = $1 ORDER BY position`,
);
/** Events of an organization at the positions 1 to $2, one each millisecond until now; every $4th of the type $3. */
const storeEventsSql = statement(
  't.store-events',
  `WITH stored AS (
     INSERT INTO webhooks.event (organization_id, id, type, line, body, occurred_at, stored_at, position)
     SELECT $1, id, CASE WHEN n % $4 = 0 THEN $3 ELSE 'message.received' END, '',
       json_build_object('data', json_build_object('id', id)),
       date_trunc('milliseconds', now()) - ($2 - n) * interval '1 millisecond', now(), n
     FROM generate_series(1, $2::integer) AS n
     CROSS JOIN LATERAL (SELECT substr(webhooks.cuid_floor(now()), 1, 9) || substr(md5(n || $1), 1, 16)) AS drawn (id))
   INSERT INTO webhooks.feed (organization_id, last_position) VALUES ($1, $2)`,
);
const lastAtSql = statement<{ at: Date }>(
  't.last-at',
  'SELECT max(occurred_at) AS at FROM webhooks.event WHERE organization_id = $1',
);
/** A row names the transaction that has written it. */
const slicesSql = statement<{ count: number }>(
  't.slices-of-deliveries',
  `SELECT count(*)::integer AS count FROM webhooks.delivery WHERE webhook_id = $1 GROUP BY xmin::text`,
);
let running: RunningWebhooks;
let customer: ReturnType<typeof newCustomer>;

beforeAll(async () => {
  running = await startWebhooks(servers, 0.001);
});

async function feed(request: Partial<ListEventsRequest> = {}) {
  const none = { limit: 100, cursor: null, types: null, from: null };
  const page = await running.gateway.call(listEventsRpc, customer.principal, { ...none, ...request });
  return { ...page, ids: page.bodies.map((body) => (JSON.parse(body) as { data: { id: string } }).data.id) };
}

describe('the feed', () => {
  it('shows every event once, oldest first, without a webhook, and its cursor goes on where it was', async () => {
    customer = newCustomer(running);
    const before = await feed();
    expect(before.bodies).toEqual([]);
    const ids = [await customer.receive('1'), await customer.receive('2')];
    const { aggregateId, ...closing } = {
      aggregateId: newCuid(),
      organizationId: customer.organizationId,
      sequence: 1,
    };
    const conversation = { id: aggregateId } as never;
    const closed = await running.publish({
      ...closing,
      aggregateId,
      event: conversationClosed,
      data: { conversation },
    });
    const all = await eventually(async () => {
      const page = await feed({ cursor: before.nextCursor });
      return page.ids.length === 3 && page;
    });
    expect([...all.ids].sort()).toEqual([...ids, closed].sort());
    const walked: string[] = [];
    for (let cursor: string | null = null, page = 0; page < 4; page++) {
      const { ids: found, nextCursor } = await feed({ limit: 1, cursor });
      walked.push(...found);
      expect(nextCursor).toMatch(/^c[0-9a-z]{6,31}$/);
      cursor = nextCursor;
    }
    expect(walked).toEqual(all.ids);
    const filtered = await feed({ types: ['conversation.closed'] });
    expect(filtered.ids).toEqual([closed]);
    expect((await feed({ cursor: filtered.nextCursor })).ids).toEqual([]);
    await customer.receive('3');
    await eventually(async () => (await feed({ cursor: filtered.nextCursor })).ids.length === 1);
    const from = new Date(Date.now() + 1).toISOString();
    expect((await feed({ from })).ids).toEqual([]);
    expect((await feed({ from: '2020-01-01T00:00:00.000Z' })).ids).toHaveLength(4);
  });

  it('looks at 20,000 events for a page, and gives a reader of a rare type every one of them, once', async () => {
    customer = newCustomer(running);
    await running.superuser.query(storeEventsSql, [customer.organizationId, 45_000, 'conversation.closed', 15_000]);
    const walk = async (types: ListEventsRequest['types']) => {
      const pages: (readonly string[])[] = [];
      for (let cursor: string | null = null; ;) {
        const { ids, nextCursor } = await feed({ types, cursor });
        pages.push(ids);
        if (nextCursor === cursor) return pages;
        cursor = nextCursor;
      }
    };
    const rare = await walk(['conversation.closed']);
    expect(rare.map(({ length }) => length)).toEqual([1, 1, 1, 0]);
    expect(new Set(rare.flat()).size).toBe(3);
    const turns = jest.spyOn(Database.prototype, 'transaction');
    expect(await walk(['optout.created'])).toEqual([[], [], [], []]);
    const own = turns.mock.calls.filter(([, options]) => options?.tenant === customer.organizationId);
    turns.mockRestore();
    expect(own).toHaveLength(4);
  });

  it('finds what a time begins with, and counts what a replay would send, behind the first 20,000', async () => {
    customer = newCustomer(running);
    const count = 45_000;
    await running.superuser.query(storeEventsSql, [customer.organizationId, count, 'conversation.closed', 5]);
    const [last] = await running.superuser.query(lastAtSql, [customer.organizationId]);
    const before = (ms: number): string => new Date((last?.at.getTime() ?? 0) - ms).toISOString();
    expect((await feed({ from: before(9) })).ids).toHaveLength(10);
    expect((await feed({ from: before(-1) })).ids).toEqual([]);

    const webhook = await customer.register(running.receiver.at('/counted'));
    const all = { webhookId: webhook.id, until: null, events: null, onlyMissed: false, dryRun: true };
    const counted = (more: Pick<ReplayWebhookRequest, 'since'> & Partial<ReplayWebhookRequest>) =>
      running.gateway.call(replayWebhookRpc, customer.principal, { ...all, replayId: newCuid(), ...more });
    expect(await counted({ since: before(count) })).toEqual({ count });
    expect(await counted({ since: before(count), onlyMissed: true })).toEqual({ count });
    expect(await counted({ since: before(count), events: ['conversation.closed'] })).toEqual({ count: count / 5 });
    expect(await counted({ since: before(29_999), until: before(9_999) })).toEqual({ count: 20_000 });
  });

  it('refuses a cursor that is none of its own', async () => {
    await expect(feed({ cursor: 'cabcdefgh' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});

describe('a replay', () => {
  it('counts first, sends what is older than the webhook too, and with onlyMissed what did not arrive', async () => {
    customer = newCustomer(running);
    const since = new Date(Date.now() - 60_000).toISOString();
    const old = await customer.receive('older than the webhook');
    await eventually(async () => (await feed()).ids.length === 1);
    const webhook = await customer.register(running.receiver.at('/replay'));
    const fresh = await customer.receive('newer');
    await eventually(() => running.receiver.arrivals('/replay').some(({ dataId }) => dataId === fresh));
    const all = { webhookId: webhook.id, since, until: null, events: null, onlyMissed: false, dryRun: false };
    const replay = (more: Partial<typeof all>) =>
      running.gateway.call(replayWebhookRpc, customer.principal, { ...all, replayId: newCuid(), ...more });
    expect(await replay({ dryRun: true })).toEqual({ count: 2 });
    await eventually(async () => (await replay({ dryRun: true, onlyMissed: true })).count === 1);
    const before = running.receiver.arrivals('/replay').length;
    expect(await replay({ onlyMissed: true })).toEqual({ count: 1 });
    await eventually(() => running.receiver.arrivals('/replay').length === before + 1);
    expect(running.receiver.arrivals('/replay').at(-1)?.dataId).toBe(old);
    running.receiver.at('/replay', status(500));
    expect(await replay({})).toEqual({ count: 2 });
    const failed = await eventually(async () => {
      const attempts = await customer.attempts(webhook.id, { outcome: 'FAILED' });
      return attempts.length === 6 && attempts;
    });
    expect(new Set(failed.map(({ kind }) => kind))).toEqual(new Set(['REPLAY']));
    expect(await customer.webhook(webhook.id)).toMatchObject({ status: 'ACTIVE', consecutiveFailures: 0 });
  });
});

describe('a replay of thousands of events', () => {
  it('queues 1,000 deliveries at a time, so that the deliveries of the webhook never wait long for it', async () => {
    customer = newCustomer(running);
    const count = 2_500;
    await running.superuser.query(storeEventsSql, [customer.organizationId, count, 'conversation.closed', 5]);
    const webhook = await customer.register(running.receiver.at('/slices', () => undefined));
    const all = { since: new Date(0).toISOString(), until: null, events: null, onlyMissed: false, dryRun: false };
    const request = { replayId: newCuid(), webhookId: webhook.id, ...all };
    expect(await running.gateway.call(replayWebhookRpc, customer.principal, request)).toEqual({ count });
    const slices = await eventually(async () => {
      const found = await running.superuser.query(slicesSql, [webhook.id]);
      return found.reduce((sum, slice) => sum + slice.count, 0) === count && found;
    });
    expect(Math.max(...slices.map((slice) => slice.count))).toBeLessThanOrEqual(1_000);
  });
});

describe('a webhook', () => {
  it('is one of at most 20 of its organization, and leads to a URL that is allowed', async () => {
    customer = newCustomer(running);
    const url = running.receiver.at('/many');
    await expect(customer.register('ftp://example.org/')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    const id = newCuid();
    await Promise.all(Array.from({ length: 20 }, () => customer.register(url, { id })));
    await Promise.all(Array.from({ length: 19 }, () => customer.register(url)));
    await expect(customer.register(url)).rejects.toMatchObject({ code: 'PAYMENT_REQUIRED' });
  });

  it('emits the event of an act with the act: once, however often it is asked for, and none of a refused one', async () => {
    customer = newCustomer(running);
    const { gateway, superuser } = running;
    const { principal, organizationId } = customer;
    const by = (): WebhookActor => ({
      actId: newCuid(),
      userId: newCuid(),
      email: 'a@example.org',
      address: null,
      traceId: null,
    });
    const created = by();
    const id = newCuid();
    const url = running.receiver.at('/audited');
    await customer.register(url, { id, by: created });
    await customer.register(url, { id, by: created });
    const changed = by();
    for (let asked = 0; asked < 2; asked++) {
      await gateway.call(changeWebhookRpc, principal, { id, description: 'x', by: changed });
    }
    const refused = gateway.call(changeWebhookRpc, principal, { id, url: 'ftp://example.org/', by: by() });
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await gateway.call(rotateWebhookSecretRpc, principal, { id, by: by() });
    await gateway.call(enableWebhookRpc, principal, { id, by: by() });
    await gateway.call(testWebhookRpc, principal, { id, by: by() });
    const all = { since: new Date(0).toISOString(), until: null, events: null, onlyMissed: false, dryRun: false };
    await gateway.call(replayWebhookRpc, principal, { replayId: newCuid(), webhookId: id, ...all, by: by() });
    await gateway.call(deleteWebhookRpc, principal, { id, by: by() });
    const rows = await superuser.query(actsSql, [organizationId]);
    expect(rows.map(({ action }) => action)).toEqual(
      ['created', 'changed', 'secret-rotated', 'enabled', 'tested', 'replayed', 'deleted'].map(
        (act) => `webhook.${act}`,
      ),
    );
    expect(rows.slice(0, 2).map(({ id: event }) => event)).toEqual([created.actId, changed.actId]);
    expect(JSON.stringify(rows)).not.toContain('whsec_');
  });
});
