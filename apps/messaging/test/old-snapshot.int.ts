import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { behindSnapshot, blocksOfLooks, MeasuredTables, testServers } from '@switchboard/testing';
import { abandonOverdue } from '../src/dispatch/dispatch.repository.js';
import { claimRetries, retryLines } from '../src/dispatch/retry-claim.repository.js';
import { TestInbox } from './test-inbox.js';

const servers = testServers();
const SENDS = 20_000;

/** The polls of the queue of attempts, with values as their workers give them. */
function polls(organizationId: string, floorMs: number): Record<string, string[]> {
  const line = [`'{${organizationId}}'`, "'{channel}'"];
  return {
    'messaging.dispatch.abandon': ['200', '86400', '120'],
    'messaging.dispatch.retry-lines': ["''", "''", '64', `'${floorMs}'`],
    'messaging.dispatch.claim': ['64', "'l'", ...line, '16', "'{}'", "'{}'", '\'{""}\'', `'${floorMs}'`],
  };
}

describe('the queue of attempts behind an old snapshot', () => {
  let inbox: TestInbox;
  let database: Database;
  let queue: MeasuredTables;

  beforeAll(async () => {
    inbox = await TestInbox.open(servers);
    database = await inbox.prepared.database({ poolMax: 1 });
    queue = await MeasuredTables.of(inbox.superuser, 'messaging.dispatch');
    await abandonOverdue(database, 200, 86_400_000, 120_000);
    await retryLines(database, null, 64);
    await claimRetries(database, [], { limit: 64, organizationMax: 16, underway: new Map() }, newCuid());
  });

  /** Pages that each poll touches. */
  async function blocks(floorMs: number): Promise<Record<string, number>> {
    return blocksOfLooks(database, polls(inbox.organizationId, floorMs));
  }

  /** Sends of the last hour, each marked, or to be sent again, and settled in transactions of its own as far as the indexes can see. */
  async function churn(state: 'DISPATCHING' | 'RETRY'): Promise<void> {
    const { organizationId, superuser } = inbox;
    await superuser.dataSource.query(
      `INSERT INTO messaging.dispatch (organization_id, message_id, channel_id, contact_id, recipient_phone, lease, state, due_at, attempts)
       SELECT $1, 'c' || lpad(n::text, 24, '0'), 'channel', 'contact' || n, '+14155550100', 'l', $3,
         now() - n * interval '1 hour' / $2 - interval '3 minutes', 1 FROM generate_series(1, $2::int) AS n`,
      [organizationId, SENDS, state],
    );
    await superuser.dataSource.query('DELETE FROM messaging.dispatch WHERE organization_id = $1', [organizationId]);
  }

  it('is looked at from 30 s ago, when nothing waits: a row that is committed late is found', async () => {
    const { floorMs } = await retryLines(database, null, 64);
    const { organizationId, superuser } = inbox;
    await superuser.dataSource.query(
      `INSERT INTO messaging.dispatch (organization_id, message_id, channel_id, contact_id, recipient_phone, lease, state, due_at, attempts)
       VALUES ($1, 'clate', 'channel', 'contact', '+14155550100', 'l', 'RETRY', now() - interval '29 seconds', 1)`,
      [organizationId],
    );
    const look = await retryLines(database, null, 64, floorMs);
    expect(look.lines).toEqual([{ organizationId, channelId: 'channel' }]);
    // And not above it, while it waits.
    expect((await retryLines(database, null, 64, look.floorMs)).lines).toHaveLength(1);
    await superuser.dataSource.query('DELETE FROM messaging.dispatch WHERE organization_id = $1', [organizationId]);
  });

  it('costs its polls what it costs without one, however much was sent since', async () => {
    const { floorMs } = await retryLines(database, null, 64);
    const before = await blocks(floorMs);
    await behindSnapshot(inbox.superuser, async () => {
      await churn('DISPATCHING');
      await churn('RETRY');
      // Plans are made anew from other samples.
      for (let again = 0; again < 3; again++) {
        await queue.measure(database);
        const behind = await blocks(floorMs);
        for (const [name, blocks] of Object.entries(before)) {
          expect([name, behind[name]]).toEqual([name, expect.closeTo(blocks, -1.3)]);
        }
      }
      // Without bounds and floor the entries are there to be walked through.
      const unbound = await blocksOfLooks(database, { 'messaging.dispatch.abandon': ['200', '86400', '31536000'] });
      const { 'messaging.dispatch.abandon': _bound, ...whole } = { ...(await blocks(-Infinity)) };
      for (const count of [...Object.values(unbound), ...Object.values(whole)]) expect(count).toBeGreaterThan(500);
    });
  });
});
