import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { behindSnapshot, blocksOfLooks, testServers } from '@switchboard/testing';
import { abandonOverdue } from '../src/dispatch/dispatch.repository.js';
import { claimRetries } from '../src/dispatch/retry-claim.repository.js';
import { TestInbox } from './test-inbox.js';

const servers = testServers();
const SENDS = 20_000;

/** The polls of the queue of attempts, with values as their workers give them. */
const POLLS = {
  'messaging.dispatch.abandon': ['200', '86400', '120'],
  'messaging.dispatch.claim': ['64', "'l'", "'{}'", "'{}'", '16', "'{}'", "'{}'", "'{}'"],
};

describe('the queue of attempts behind an old snapshot', () => {
  let inbox: TestInbox;
  let database: Database;

  beforeAll(async () => {
    inbox = await TestInbox.open(servers);
    database = await inbox.prepared.database({ poolMax: 1 });
    await abandonOverdue(database, 200, 86_400_000, 120_000);
    await claimRetries(database, [], { limit: 64, organizationMax: 16, underway: new Map() }, newCuid());
  });

  /** Sends of the last hour, each marked and settled in transactions of its own as far as the index can see. */
  async function churn(): Promise<void> {
    const { organizationId, superuser } = inbox;
    await superuser.dataSource.query(
      `INSERT INTO messaging.dispatch (organization_id, message_id, channel_id, contact_id, recipient_phone, lease, state, due_at, attempts)
       SELECT $1, 'c' || lpad(n::text, 24, '0'), 'channel', 'contact' || n, '+14155550100', 'l', 'DISPATCHING',
         now() - n * interval '1 hour' / $2 - interval '3 minutes', 1 FROM generate_series(1, $2::int) AS n`,
      [organizationId, SENDS],
    );
    await superuser.dataSource.query('DELETE FROM messaging.dispatch WHERE organization_id = $1', [organizationId]);
  }

  it('costs its polls what it costs without one, however much was sent since', async () => {
    const before = await blocksOfLooks(database, POLLS);
    await behindSnapshot(inbox.superuser, async () => {
      await churn();
      const behind: Record<string, number> = await blocksOfLooks(database, POLLS);
      for (const [name, blocks] of Object.entries(before)) {
        expect([name, behind[name]]).toEqual([name, expect.closeTo(blocks, -1.3)]);
      }
      // Without the bound of a poll the entries are there to be walked through.
      const whole = await blocksOfLooks(database, { 'messaging.dispatch.abandon': ['200', '86400', '31536000'] });
      expect(whole['messaging.dispatch.abandon']).toBeGreaterThan(500);
    });
  });
});
