import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement } from '@switchboard/postgres';
import { FakeClock, testServers } from '@switchboard/testing';
import { TemplatesStore } from '../../test/templates-store.js';
import { requestSync } from './account.repository.js';
import { DueAccounts } from './due-accounts.js';

const servers = testServers();
const DUE = 1_000;
const CLAIMS = 16;
/** Rows of the table that the transaction has read so far, by scans and by indexes. */
const readSql = statement<{ count: number }>(
  't.rows-read-of-account',
  `SELECT sum(pg_stat_get_xact_tuples_returned(relation))::float8 AS count
   FROM (SELECT 'account'::regclass UNION ALL SELECT indexrelid FROM pg_index WHERE indrelid = 'account'::regclass)
     AS of (relation)`,
);
let store: TemplatesStore;

beforeAll(async () => {
  store = await TemplatesStore.open(servers);
});

describe('claims of accounts, with a thousand organizations due', () => {
  it('read all that is due once, not each', async () => {
    const ownerOf = (): { organizationId: string; businessAccountId: string } => ({
      organizationId: newCuid(),
      businessAccountId: newCuid(),
    });
    await requestSync(store.database, Array.from({ length: DUE }, ownerOf));
    await store.database.transaction(async (tx) => {
      const due = new DueAccounts(tx, new FakeClock(0));
      const claimed = new Set<string>();
      for (let one = 0; one < CLAIMS; one++) {
        for (const { organizationId } of await due.claim(newCuid(), 1)) claimed.add(organizationId);
      }
      expect(claimed.size).toBe(CLAIMS);
      const [read] = await tx.query(readSql, []);
      expect(read?.count).toBeLessThan(3 * DUE);
    });
  });

  it('list anew what is due as soon as the order is old: an account that was just connected is next', async () => {
    const clock = new FakeClock(0);
    const due = new DueAccounts(store.database, clock);
    await store.run("UPDATE account SET synced_at = now() - interval '6 minutes'", []);
    expect(await due.claim(newCuid(), 1)).toHaveLength(1);
    const connected = { organizationId: newCuid(), businessAccountId: newCuid() };
    await requestSync(store.database, [connected]);
    clock.advance(500);
    expect(await due.claim(newCuid(), 1)).toMatchObject([connected]);
  });

  it('take no more of an organization than it may have at once, whatever two replicas have listed', async () => {
    await store.run("UPDATE account SET next_sync_at = now() + interval '1 hour'", []);
    const organizationId = newCuid();
    const some = (): { organizationId: string; businessAccountId: string }[] =>
      Array.from({ length: 3 }, () => ({ organizationId, businessAccountId: newCuid() }));
    await requestSync(store.database, some());
    const [one, other] = [0, 1].map(() => new DueAccounts(store.database, new FakeClock(0)));
    expect(await one?.claim(newCuid(), 1)).toHaveLength(1);
    // What the first has listed is passed by; what the second lists is newer.
    await store.run(
      "UPDATE account SET next_sync_at = now() + interval '1 hour' WHERE organization_id = $1 AND lease_until IS NULL",
      [organizationId],
    );
    await requestSync(store.database, some());
    expect(await other?.claim(newCuid(), 4)).toHaveLength(2);
    await store.run('UPDATE account SET next_sync_at = now() WHERE organization_id = $1', [organizationId]);
    expect(await one?.claim(newCuid(), 2)).toEqual([]);
  });
});
