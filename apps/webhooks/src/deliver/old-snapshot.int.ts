import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { behindSnapshot, blocksOfLooks, MeasuredTables, testServers } from '@switchboard/testing';
import { storeEvents, storeWebhook, type StoredWebhook } from '../../test/stored-webhook.js';
import { readPending } from '../delivery/pending-deliveries.repository.js';
import { webhooksMigrations } from '../migrations/all.js';
import { ATTEMPT_LEASE_MS } from './choose-deliveries.js';
import { OpenLane } from './open-lane.js';
import type { PendingFloors } from './read-floors.js';

const servers = testServers();
const DELIVERED = 20_000;
const READ = 'webhooks.delivery.read-pending';

describe('the deliveries of a webhook behind an old snapshot', () => {
  let database: Database;
  let superuser: Database;
  let webhook: StoredWebhook;
  let lane: OpenLane;
  let tables: MeasuredTables;

  beforeAll(async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    [database, superuser] = [await prepared.database({ poolMax: 1 }), await prepared.superuser()];
    tables = await MeasuredTables.of(superuser, 'webhooks.delivery');
    webhook = await storeWebhook(database, 1);
    lane = new OpenLane(webhook.id, webhook.organizationId);
    await run('UPDATE webhooks.feed SET last_position = last_position + $1', [DELIVERED]);
    await storeEvents(database, webhook, 2);
    await run('DELETE FROM webhooks.delivery WHERE position = (SELECT min(position) FROM webhooks.delivery)');
  });

  async function run(sql: string, values: unknown[] = []): Promise<unknown> {
    return superuser.dataSource.query(sql, values);
  }

  async function read(): Promise<void> {
    lane.beginReading();
    const pending = (await readPending(database, [lane])).get(lane.webhookId);
    if (!pending) throw new Error('nothing was read');
    lane.refill(pending);
  }

  async function blocks({ firsts, replays, retries, marked }: PendingFloors): Promise<number> {
    const floors = [firsts, replays, retries - 1, marked - 1].map((floor) => `'{${floor}}'`);
    const max = "'{256}'";
    const asked = [`'{${lane.webhookId}}'`, max, ...floors, max, max, max, '360'];
    return (await blocksOfLooks(database, { [READ]: asked }))[READ] ?? 0;
  }

  /** Deliveries of the last hour: each was new, under way, due again and delivered, as far as the indexes can see. */
  async function churn(): Promise<void> {
    const marks = 'attempt_id = id, attempt_at = due_at, lease_until = due_at';
    await run(
      `INSERT INTO webhooks.delivery (webhook_id, id, organization_id, event_id, type, line, position, body_bytes, kind, due_at)
       SELECT $1, 'gone' || n, $2, 'e' || n, 'message.received', '', n, 2, 'AUTOMATIC', now() - n * interval '1 hour' / $3 - interval '1 minute'
       FROM generate_series(1, $3::int) AS n`,
      [webhook.id, webhook.organizationId, DELIVERED],
    );
    await run(`UPDATE webhooks.delivery SET ${marks} WHERE id LIKE 'gone%'`);
    await run(
      `UPDATE webhooks.delivery SET tries = 1, attempt_id = NULL, attempt_at = NULL, lease_until = NULL WHERE id LIKE 'gone%'`,
    );
    await run(`DELETE FROM webhooks.delivery WHERE id LIKE 'gone%'`);
  }

  it('cost a reading what they cost without one, however many were delivered since', async () => {
    await read();
    const nowMs = Date.now();
    const delivery = lane.next(nowMs);
    if (!delivery) throw new Error('nothing is pending');
    lane.begin({ delivery, id: newCuid(), beganAtMs: nowMs, leaseUntilMs: nowMs + ATTEMPT_LEASE_MS });
    const { floors } = lane;
    const before = await blocks(floors);
    await behindSnapshot(superuser, async () => {
      await churn();
      // Plans are made anew from other samples.
      for (let again = 0; again < 3; again++) {
        await tables.measure(database);
        expect(await blocks(floors)).toBeLessThanOrEqual(2 * before + 5);
      }
      // Without a floor the entries of each part are there to be walked through.
      for (const [part, all] of Object.entries({ firsts: 0, replays: 0, retries: -1e12, marked: -1e12 })) {
        const whole = await blocks({ ...floors, [part]: all });
        expect([part, whole > 200]).toEqual([part, part !== 'replays']);
      }
    });
  });
});
