import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { eventually, testServers } from '@switchboard/testing';
import { storePublicEvents } from '../src/event/event.repository.js';
import { newCustomer, type Customer } from './customer.js';
import { startWebhooks, type RunningWebhooks } from './running-webhooks.js';

const servers = testServers();
/** By so much the database's clock has stepped back since: what it said before is as far ahead. */
const AHEAD = `interval '5 hours'`;
const SOON = { deadlineMs: 60_000 };
const WORKER = newCuid();
let running: RunningWebhooks;
let left: StoredWebhook;
let failing: StoredWebhook;
let replayed: StoredWebhook;

interface StoredWebhook {
  readonly id: string;
  readonly path: string;
}

beforeAll(async () => {
  running = await startWebhooks(servers, 0.01, 0);
  const service = await running.start();
  const customers = [1, 2, 3].map(() => newCustomer(running));
  const [one, two, three] = await Promise.all(customers.map((customer, index) => register(customer, `/${index}`)));
  if (!one || !two || !three) throw new Error('three are registered');
  [left, failing, replayed] = [one, two, three];
  await service.stop();
  for (const customer of customers) await store(customer, 3);
  await leaveBehind(left);
  await failBefore(failing);
  await replayBefore(replayed);
  await running.start();
});

async function register(customer: Customer, path: string): Promise<StoredWebhook> {
  const { id } = await customer.register(running.receiver.at(path));
  return { id, path };
}

/** Events of one conversation, while no service runs. */
async function store({ organizationId }: Customer, count: number): Promise<void> {
  const events = Array.from({ length: count }, () => {
    const id = newCuid();
    const body = JSON.stringify({ event: 'message.received', data: { id } });
    const of = { line: organizationId, contactId: null, messageId: null, occurredAt: new Date().toISOString() };
    return { ...of, organizationId, type: 'message.received' as const, id, body };
  });
  const database = await running.prepared.database();
  await database.transaction(async (tx) => void (await storePublicEvents(tx, events)));
}

async function query<Row>(sql: string, values: readonly unknown[]): Promise<Row[]> {
  return running.superuser.dataSource.query(sql, [...values]);
}

/** A process was killed that owned its lane, with an attempt under way. */
async function leaveBehind({ id }: StoredWebhook): Promise<void> {
  await query(`INSERT INTO webhooks.worker (id, lease_until) VALUES ($1, now() + ${AHEAD})`, [WORKER]);
  await query('UPDATE webhooks.lane SET owner = $2 WHERE webhook_id = $1', [id, WORKER]);
  await query(
    `UPDATE webhooks.delivery SET attempt_id = id, attempt_at = now() + ${AHEAD}, lease_until = now() + ${AHEAD} + interval '15 s'
     WHERE webhook_id = $1 AND position = (SELECT min(position) FROM webhooks.delivery WHERE webhook_id = $1)`,
    [id],
  );
}

/** Its receiver had failed, and asked for a pause, after it was enabled; all that is pending waits for a retry. */
async function failBefore({ id }: StoredWebhook): Promise<void> {
  await query(
    `UPDATE webhooks.lane SET probing_since = now() + ${AHEAD}, failed_probes = 3, next_probe_at = now() + ${AHEAD},
       held_until = now() + ${AHEAD}, counted_until = now() + ${AHEAD}, opened_at = now() + ${AHEAD}, consecutive_failures = 3
     WHERE webhook_id = $1`,
    [id],
  );
  await query(`UPDATE webhooks.delivery SET tries = 1, attempts = 1, due_at = now() + ${AHEAD} WHERE webhook_id = $1`, [
    id,
  ]);
}

/** All of it was delivered, and is replayed. */
async function replayBefore({ id }: StoredWebhook): Promise<void> {
  await query('DELETE FROM webhooks.delivery WHERE webhook_id = $1', [id]);
  await query(
    `INSERT INTO webhooks.replay (organization_id, id, webhook_id, since, types, only_missed, count, position, up_to, due_at)
     SELECT w.organization_id, $2, w.id, 'epoch', w.events, false, 3, 0, f.last_position, now() + ${AHEAD}
     FROM webhooks.webhook w JOIN webhooks.feed f ON f.organization_id = w.organization_id WHERE w.id = $1`,
    [id, newCuid()],
  );
}

async function allArrive({ path }: StoredWebhook): Promise<void> {
  await eventually(() => new Set(running.receiver.arrivals(path).map(({ dataId }) => dataId)).size === 3, SOON);
}

describe('after the clock of the database has stepped back by hours', () => {
  it('what a killed process has left behind, and what waits behind it, is delivered', async () => {
    await allArrive(left);
    const workers = await query('SELECT FROM webhooks.worker WHERE id = $1', [WORKER]);
    expect(workers).toEqual([]);
  });

  it('pauses, probes and retries are over, and the lane goes on by the clock as it is', async () => {
    await allArrive(failing);
    const lane = await eventually(async () => {
      const [stored] = await query<{ failures: number }>(
        `SELECT window_max AS "windowMax", probing_since AS "probingSince", consecutive_failures AS failures,
           opened_at <= now() AS "isOpened", counted_until <= now() AS "isCounted"
         FROM webhooks.lane WHERE webhook_id = $1`,
        [failing.id],
      );
      return stored?.failures === 0 && stored;
    });
    expect(lane).toMatchObject({ probingSince: null, isOpened: true, isCounted: true });
  });

  it('a replay goes on', async () => {
    await allArrive(replayed);
  });
});
