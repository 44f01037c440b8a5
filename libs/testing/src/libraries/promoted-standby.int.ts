import { beforeEach, expect, it } from '@jest/globals';
import type { MirroredIncarnation } from '@switchboard/nats';
import { IncarnationKeeper, IS_COMPARED, type Promotion, type Restore } from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';
import { testServers } from '../index.js';
import { startStandby } from '../standby.js';
import { Outbox1764000000000 } from './outbox-fixture.js';

const servers = testServers({ ownPostgres: true });
/** By which a transaction that ends may overtake another. */
const COMMITS_APART_MS = 1_000;
const comparedSql = statement<{ isCompared: boolean }>('t.compared', `SELECT ${IS_COMPARED} AS "isCompared"`);
const nowSql = statement<{ now: Date }>('t.now', 'SELECT clock_timestamp() AS now');

/** The broker's copy. */
let shown: MirroredIncarnation | null;
let restores: Restore[];
let promotions: Promotion[];

beforeEach(() => {
  [shown, restores, promotions] = [null, [], []];
});

/** A process that has just been started. */
function keeper(database: Database): IncarnationKeeper {
  return new IncarnationKeeper({
    database,
    mirror: {
      read: async () => shown,
      write: async (row, after) => (shown = { ...row, sequence: after + 1 }).sequence,
    },
    noticeRestore: async () => false,
    onRestored: async () => undefined,
    report: (restore) => void restores.push(restore),
    reportPromotion: (promotion) => void promotions.push(promotion),
  });
}

async function now(database: Database): Promise<number> {
  return (await database.query(nowSql, []))[0]?.now.getTime() ?? NaN;
}

async function isCompared(database: Database): Promise<boolean | undefined> {
  return (await database.query(comparedSql, []))[0]?.isCompared;
}

it('takes back what a promoted standby holds, and nothing that came since, though it was started long before', async () => {
  const prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  const primary = await prepared.database();
  const ofPrimary = keeper(primary);
  await ofPrimary.look();
  const standby = await startStandby(servers, prepared);
  const comparedAt = await now(primary);
  // Compared after the standby was started, and the standby holds it.
  await ofPrimary.look();
  const promoted = await standby.promote();
  const promotedAt = await now(promoted);
  expect(await isCompared(promoted)).toBe(false);

  // What the standby did not get any more.
  shown = { number: 1_000, token: 'lost', consumerEpoch: 0, timeline: 1, sequence: 1 };
  await keeper(promoted).look();
  expect(restores).toHaveLength(1);
  const writtenBefore = restores[0]?.writtenBefore.getTime() ?? NaN;
  expect(writtenBefore).toBeGreaterThan(comparedAt);
  expect(writtenBefore).toBeLessThanOrEqual(promotedAt + COMMITS_APART_MS);
  expect(await isCompared(promoted)).toBe(true);
  expect(promotions).toEqual([]);
});

it('reports a promotion of which nothing shows that anything is missing once, and takes nothing back', async () => {
  const prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  const primary = await prepared.database();
  const ofPrimary = keeper(primary);
  await ofPrimary.look();
  await ofPrimary.look();
  const standby = await startStandby(servers, prepared);
  const promoted = await standby.promote();

  for (const process of [keeper(promoted), keeper(promoted)]) {
    await process.look();
    await process.look();
  }
  expect(promotions).toEqual([{ timeline: 2, lastTimeline: 1 }]);
  expect(restores).toEqual([]);
  expect(await isCompared(promoted)).toBe(true);
});
