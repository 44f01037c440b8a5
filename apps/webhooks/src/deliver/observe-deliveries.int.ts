import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { storeWebhook } from '../../test/stored-webhook.js';
import { webhooksMigrations } from '../migrations/all.js';
import { readBacklog } from './observe-deliveries.js';

const servers = testServers();

describe('the gauge of what waits for us', () => {
  let database: Database;
  let superuser: Database;

  /** One delivery, which is due for an hour. */
  beforeEach(async () => {
    const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations);
    [database, superuser] = [await prepared.database(), await prepared.superuser()];
    await storeWebhook(database, 1);
    await change("UPDATE webhooks.delivery SET due_at = now() - interval '60 min'");
  });

  async function change(...statements: readonly string[]): Promise<void> {
    for (const sql of statements) await superuser.dataSource.query(sql);
  }

  const marked = (lease: string): string =>
    `UPDATE webhooks.delivery SET attempt_id = 'a', attempt_at = now(), lease_until = now() + interval '${lease}' WHERE id = 'second'`;
  const second = `INSERT INTO webhooks.delivery (webhook_id, id, organization_id, event_id, type, line, position, body_bytes, kind, due_at)
    SELECT webhook_id, 'second', organization_id, event_id, type, line, position, body_bytes, kind, due_at FROM webhooks.delivery`;
  const lane = (settings: string): string => `UPDATE webhooks.lane SET ${settings}`;

  it.each([
    ['is due', [], 60],
    ['is next to a request that is under way', [second, marked('10 min')], 0],
    ['is next to a mark whose lease has ended', [second, marked('-1 min')], 60],
    ['waits for its receiver', [lane("held_until = now() + interval '10 min'")], 0],
    ['waits no longer for its receiver', [lane("held_until = now() - interval '20 min'")], 20],
    ['waits for the next probe', [lane("probing_since = now(), next_probe_at = now() + interval '10 min'")], 0],
    ['was to be probed', [lane("probing_since = now(), next_probe_at = now() - interval '30 min'")], 30],
    ['is of a webhook that was deactivated', [lane('is_open = false')], 0],
  ])('of one that %s', async (_what, changes, minutes) => {
    await change(...changes);
    const { pending, unattendedSeconds } = await readBacklog(database);
    expect(pending).toBe(changes.some((sql) => sql === second) ? 2 : 1);
    expect(Math.floor(unattendedSeconds / 600) * 10).toBe(minutes);
  });
});
