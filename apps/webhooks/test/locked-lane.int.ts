import { beforeAll, describe, expect, it } from '@jest/globals';
import type { RpcDefinition } from '@switchboard/contracts/grammar/define-rpc';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import {
  changeWebhookRpc,
  deleteWebhookRpc,
  enableWebhookRpc,
  rotateWebhookSecretRpc,
  type AuditedRequest,
} from '@switchboard/contracts/webhooks/rpc';
import { statement } from '@switchboard/postgres';
import { askAgain, eventually, lockWaiters, testServers } from '@switchboard/testing';
import { newCustomer } from './customer.js';
import { status } from './receiver.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
const LANE = 'SELECT FROM webhooks.lane WHERE webhook_id = $1 FOR UPDATE';
const WEBHOOK = 'SELECT FROM webhooks.webhook WHERE id = $1 FOR SHARE';
const attemptsSql = statement<{ outcome: string; error: string | null }>(
  't.attempts-recorded',
  'SELECT outcome, error FROM webhooks.attempt WHERE webhook_id = $1',
);
const pendingSql = statement('t.pending-of-webhook', 'SELECT FROM webhooks.delivery WHERE webhook_id = $1');
const nearlyExhaustedSql = statement(
  't.nearly-exhausted',
  'UPDATE webhooks.lane SET consecutive_failures = 9 WHERE webhook_id = $1',
);
const renewedSql = statement('t.renewed', 'SELECT FROM webhooks.worker WHERE lease_until > $1::timestamptz');
const leaseSql = statement<{ until: string }>('t.lease', 'SELECT max(lease_until)::text AS until FROM webhooks.worker');
let running: RunningWebhooks;

beforeAll(async () => {
  running = await startWebhooks(servers);
});

const query = async (...[sql, values]: Parameters<RunningWebhooks['superuser']['query']>) =>
  running.superuser.query(sql, values);
const attempts = async (id: string) => running.superuser.query(attemptsSql, [id]);
const arrived = (path: string): number => running.receiver.arrivals(path).length;

/** As a replica that stands still within a transaction. */
async function whileLocked(sql: string, id: string, work: () => Promise<void>): Promise<void> {
  const holder = await running.superuser.connect();
  try {
    await holder.query('SET idle_in_transaction_session_timeout = 0');
    await holder.query('BEGIN');
    await holder.query(sql, [id]);
    await work();
    await holder.query('COMMIT');
  } finally {
    holder.release(true);
  }
}

describe('a lane that another session has locked', () => {
  it('holds up no other webhook, has its own ends recorded and the rest delivered once it is free, and the lease is kept', async () => {
    const [locked, other] = [newCustomer(running), newCustomer(running)];
    const held = Promise.withResolvers<() => void>();
    const url = running.receiver.at('/locked', (response) => held.resolve(() => void response.end()));
    const { id } = await locked.register(url);
    const { id: otherId } = await other.register(running.receiver.at('/free'));
    await locked.receive('1');
    const release = await held.promise;
    running.receiver.at('/locked', status(200));
    await whileLocked(LANE, id, async () => {
      release();
      const second = await locked.receive('2');
      await eventually(async () => (await query(pendingSql, [id])).length === 2);
      const [lease] = await running.superuser.query(leaseSql, []);
      for (let events = 1; events <= 5; events++) {
        await other.receive(`${events}`);
        await eventually(async () => (await attempts(otherId)).length === events);
      }
      expect(arrived('/free')).toBe(5);
      await eventually(async () => (await query(renewedSql, [lease?.until])).length > 0);
      // Neither is its end recorded, nor does anything of it begin.
      expect(running.receiver.arrivals('/locked').map(({ dataId }) => dataId)).not.toContain(second);
      expect(await attempts(id)).toEqual([]);
    });
    await eventually(async () => (await query(pendingSql, [id])).length === 0);
    expect(await attempts(id)).toEqual(Array(2).fill({ outcome: 'SUCCEEDED', error: null }));
    expect(arrived('/locked')).toBe(2);
  });
});

describe('a webhook at its tenth failure whose row another session has locked', () => {
  it('holds up no other that fails, and is deactivated once it is free', async () => {
    const [locked, other] = [newCustomer(running), newCustomer(running)];
    const { id } = await locked.register(running.receiver.at('/tenth', status(500)));
    const { id: otherId } = await other.register(running.receiver.at('/failing', status(500)));
    await query(nearlyExhaustedSql, [id]);
    await whileLocked(WEBHOOK, id, async () => {
      await locked.receive('1');
      await eventually(() => arrived('/tenth') === 1);
      await other.receive('1');
      await eventually(async () => (await attempts(otherId)).length === 1);
      expect(await attempts(id)).toEqual([]);
      expect(await locked.webhook(id)).toMatchObject({ status: 'ACTIVE', consecutiveFailures: 9 });
    });
    await eventually(async () => (await locked.webhook(id)).status === 'DEACTIVATED');
    expect(await attempts(id)).toEqual([{ outcome: 'FAILED', error: null }]);
    expect(arrived('/tenth')).toBe(1);
  });
});

describe('a change of a webhook whose row another session has locked', () => {
  const by = () => ({ actId: newCuid(), userId: newCuid(), email: 'a@example.org', address: null, traceId: null });

  const changes: readonly [string, RpcDefinition<AuditedRequest & { readonly id: string }, object>][] = [
    ['change', changeWebhookRpc],
    ['rotation', rotateWebhookSecretRpc],
    ['enabling', enableWebhookRpc],
    ['deletion', deleteWebhookRpc],
  ];

  it.each(changes)('keeps its lane from no delivery for long, and passes once it is free: %s', async (name, rpc) => {
    const customer = newCustomer(running);
    const { id } = await customer.register(running.receiver.at(`/${name}`));
    const request = { id, by: by() };
    // It waits 5 s for the row, in which a busy machine may not have delivered yet.
    const ask = async (): Promise<unknown> => askAgain(() => running.gateway.call(rpc, customer.principal, request));
    let changed: Promise<unknown> = Promise.resolve();
    await whileLocked(WEBHOOK, id, async () => {
      changed = ask().catch((error: unknown) => error);
      await eventually(async () => (await lockWaiters(running.superuser)) > 0);
      await customer.receive('1');
      await eventually(async () => (await attempts(id)).length === 1);
    });
    expect(await changed).not.toBeInstanceOf(Error);
  });
});
