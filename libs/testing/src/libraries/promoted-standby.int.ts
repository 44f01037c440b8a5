import { expect, it } from '@jest/globals';
import { IncarnationKeeper, IS_COMPARED, type Restore } from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';
import { testServers } from '../index.js';
import { startStandby } from '../standby.js';
import { Outbox1764000000000 } from './outbox-fixture.js';

const servers = testServers({ ownPostgres: true });
/** By which a transaction that ends may overtake another. */
const COMMITS_APART_MS = 1_000;
const comparedSql = statement<{ isCompared: boolean }>('t.compared', `SELECT ${IS_COMPARED} AS "isCompared"`);
const nowSql = statement<{ now: Date }>('t.now', 'SELECT clock_timestamp() AS now');

/** A process that looks next to a broker that was shown this number last. */
function keeper(database: Database, shownNumber: number | null, restores: Restore[] = []): IncarnationKeeper {
  const shown = { number: shownNumber ?? 0, token: 'lost', consumerEpoch: 0, sequence: 1 };
  return new IncarnationKeeper({
    database,
    mirror: { read: async () => (shownNumber === null ? null : shown), write: async () => 1 },
    noticeRestore: async () => false,
    onRestored: async () => undefined,
    report: (restore) => void restores.push(restore),
  });
}

async function now(database: Database): Promise<number> {
  return (await database.query(nowSql, []))[0]?.now.getTime() ?? NaN;
}

it('takes back what a promoted standby holds, and nothing that came since, though it was started long before', async () => {
  const prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  const primary = await prepared.database();
  const ofPrimary = keeper(primary, null);
  await ofPrimary.look();
  const standby = await startStandby(servers, prepared);
  const comparedAt = await now(primary);
  // Compared after the standby was started, and the standby holds it.
  await ofPrimary.look();
  const promoted = await standby.promote();
  const promotedAt = await now(promoted);
  expect((await promoted.query(comparedSql, []))[0]?.isCompared).toBe(false);

  const restores: Restore[] = [];
  await keeper(promoted, 1_000, restores).look();
  expect(restores).toHaveLength(1);
  const writtenBefore = restores[0]?.writtenBefore.getTime() ?? NaN;
  expect(writtenBefore).toBeGreaterThan(comparedAt);
  expect(writtenBefore).toBeLessThanOrEqual(promotedAt + COMMITS_APART_MS);
  expect((await promoted.query(comparedSql, []))[0]?.isCompared).toBe(true);
});
