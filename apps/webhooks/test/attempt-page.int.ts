import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { listWebhookAttemptsRpc, type ListWebhookAttemptsRequest } from '@switchboard/contracts/webhooks/rpc';
import { Database, statement } from '@switchboard/postgres';
import { nodesOf, planOf, preparedStatements, testServers } from '@switchboard/testing';
import { readAttempts } from '../src/list-attempts/attempt-page.repository.js';
import { webhooksMigrations } from '../src/migrations/all.js';
import { newCustomer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
/** Attempts 1 to $3, one each millisecond until now; every $4th has failed and is of the type $5. */
const storeSql = statement(
  't.store-attempts',
  `INSERT INTO webhooks.attempt (webhook_id, id, organization_id, delivery_id, event_id, type, kind, number, began_at,
     duration_ms, response_status, response_body, outcome, delivery_state)
   SELECT $1, id, $2, id, id, CASE WHEN n % $4 = 0 THEN $5 ELSE 'message.received' END, 'AUTOMATIC', 1, at, 1, 200, 'ok',
     CASE WHEN n % $4 = 0 THEN 'FAILED' ELSE 'SUCCEEDED' END, CASE WHEN n % $4 = 0 THEN 'FAILED' ELSE 'SUCCEEDED' END
   FROM generate_series(1, $3::integer) AS n
   CROSS JOIN LATERAL (SELECT date_trunc('milliseconds', now()) - ($3::integer - n) * interval '1 millisecond') AS t (at)
   CROSS JOIN LATERAL (SELECT substr(webhooks.cuid_floor(at), 1, 9) || substr(md5(n || $1), 1, 16)) AS drawn (id)`,
);
const NONE = { limit: 100, cursor: null, event: null, outcome: null, from: null, to: null } as const;
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers);
});

describe('the log of a webhook', () => {
  it('looks at 10,000 attempts for a page with a filter, and shows each that it wants once', async () => {
    const customer = newCustomer(running);
    const { id: webhookId } = await customer.register(running.receiver.at('/log'));
    const values = [webhookId, customer.organizationId, 25_000, 5_000, 'message.read'];
    await running.superuser.query(storeSql, values);
    const walk = async (filter: Partial<ListWebhookAttemptsRequest>) => {
      const pages: (readonly string[])[] = [];
      for (let cursor: string | null = null; pages.length < 10;) {
        const request: ListWebhookAttemptsRequest = { ...NONE, webhookId, ...filter, cursor };
        const page = await running.gateway.call(listWebhookAttemptsRpc, customer.principal, request);
        pages.push(page.items.map(({ id }) => id));
        if (page.nextCursor === undefined) return pages;
        cursor = page.nextCursor;
      }
      throw new Error('the log has no end');
    };
    const rare = await walk({ event: 'message.read' });
    expect(rare.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(new Set(rare.flat()).size).toBe(5);
    expect((await walk({ event: 'message.read', limit: 1 })).flat()).toEqual(rare.flat());
    expect(await walk({ event: 'optout.created' })).toEqual([[], [], []]);
    // The year 0, which the database calls 1 BC.
    expect((await walk({ from: '0000-01-01', outcome: 'FAILED' })).flat()).toEqual(rare.flat());
    expect((await walk({ to: '0000-01-01' })).flat()).toEqual([]);
    // By an index of its own: no matter how many have succeeded between them.
    expect(await walk({ outcome: 'FAILED' })).toEqual([rare.flat()]);
    expect(await walk({ outcome: 'FAILED', event: 'message.sent' })).toEqual([[]]);
  });

  it('has what began at `from` or later and before `to`, by either filter and page by page', async () => {
    const customer = newCustomer(running);
    const { id: webhookId } = await customer.register(running.receiver.at('/times'));
    await running.superuser.query(storeSql, [webhookId, customer.organizationId, 400, 2, 'message.read']);
    const all = await running.superuser.dataSource.query(
      `SELECT id, began_at AS "at", outcome FROM webhooks.attempt WHERE webhook_id = $1 ORDER BY id DESC`,
      [webhookId],
    );
    const [to, from] = [all[99].at.toISOString(), all[299].at.toISOString()] as [string, string];
    const listed = async (filter: Partial<ListWebhookAttemptsRequest>): Promise<string[]> => {
      const ids: string[] = [];
      for (let cursor: string | null = null; ;) {
        const request: ListWebhookAttemptsRequest = { ...NONE, limit: 70, webhookId, ...filter, cursor };
        const page = await running.gateway.call(listWebhookAttemptsRpc, customer.principal, request);
        ids.push(...page.items.map(({ id }) => id));
        if (page.nextCursor === undefined) return ids;
        cursor = page.nextCursor;
      }
    };
    const idsOf = (rows: readonly { id: string; outcome: string }[]): string[] => rows.map(({ id }) => id);
    expect(await listed({ from, to })).toEqual(idsOf(all.slice(100, 300)));
    expect(await listed({ from })).toEqual(idsOf(all.slice(0, 300)));
    expect(await listed({ to })).toEqual(idsOf(all.slice(100)));
    const failed = all.slice(100, 300).filter(({ outcome }: { outcome: string }) => outcome === 'FAILED');
    expect(await listed({ from, to, outcome: 'FAILED' })).toEqual(idsOf(failed));
    expect(await listed({ from: to, to: from })).toEqual([]);
  });

  it('waits for connections of its own organization alone', async () => {
    const customer = newCustomer(running);
    const { id: webhookId } = await customer.register(running.receiver.at('/turns'));
    const tenants: unknown[] = [];
    const { transaction } = Database.prototype;
    Database.prototype.transaction = async function (this: Database, ...given: Parameters<typeof transaction>) {
      tenants.push(given[1]?.tenant);
      return transaction.apply(this, given);
    } as typeof transaction;
    try {
      await running.gateway.call(listWebhookAttemptsRpc, customer.principal, { ...NONE, webhookId });
    } finally {
      Database.prototype.transaction = transaction;
    }
    expect(tenants).toContain(customer.organizationId);
  });
});

describe('the plans of the log', () => {
  it('are walks along an index, in its order, of an empty table and of a full one', async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    const superuser = await prepared.superuser();
    const webhookId = newCuid();
    /** By statement, what a new connection reads by. */
    const look = async () => {
      const database = await prepared.database({ poolMax: 1 });
      for (const outcome of [null, 'FAILED', 'SUCCEEDED'] as const) {
        const event = outcome === null ? null : 'optout.created';
        await readAttempts(database, { ...NONE, webhookId, event, outcome });
      }
      const indexes: Record<string, string> = {};
      for (const one of await preparedStatements(database)) {
        const bounds = [`'${webhookId}'`, `'d'`, one.parameters === 3 && one.name.endsWith('list') ? '101' : `'c'`];
        const values = [...bounds, 'NULL', 'NULL', 'NULL', 'NULL', '101'].slice(0, one.parameters);
        const nodes = nodesOf(await planOf(database, one, { values }));
        expect(nodes.filter((node) => node['Node Type'] === 'Sort')).toEqual([]);
        const used = nodes.flatMap((node) => node['Index Name'] ?? []).map((name) => name.replace(/_\d{8}/, ''));
        indexes[one.name] = [...new Set(used)].join();
      }
      return indexes;
    };
    const expected = {
      'webhooks.attempt.list': 'attempt_pkey',
      'webhooks.attempt.list-filtered': 'attempt_pkey',
      'webhooks.attempt.list-end': 'attempt_pkey',
      'webhooks.attempt.list-failed': 'attempt_failed',
      'webhooks.attempt.list-failed-end': 'attempt_failed',
    };
    expect(await look()).toEqual(expected);
    await superuser.query(storeSql, [webhookId, newCuid(), 25_000, 3, 'message.read']);
    expect(await look()).toEqual(expected);
    await superuser.dataSource.query('ANALYZE webhooks.attempt');
    expect(await look()).toEqual(expected);
  });
});
