import { cuidFloor, cuidTime } from '@switchboard/contracts/grammar/cuid';
import { statement, type Database, type Transaction } from '@switchboard/postgres';
import { countsOf } from '../fact/counted-fact.policy.js';
import { readFacts } from '../fact/fact-range.repository.js';
import { advanceRebuild, holdRebuild, type Rebuild, type RebuildProgress } from '../rebuild/rebuild.repository.js';
import { adjustCounts, countsOfDay, nextCounted, type BucketCount } from '../rollup/rollup-day.repository.js';
import { GRAINS, lengthMs, type Grain } from '../rollup/segments.policy.js';

const DAY_MS = 86_400_000;
const FACTS_MAX = 5_000;

const oneSnapshot = statement(
  'analytics.rebuild.one-snapshot',
  'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY',
);

/**
 * Makes the counts of the next UTC day what its facts add up to.
 *
 * Facts and counts change in the same transactions, so what they differ by in one snapshot they differ by at any time: the
 * difference is added afterwards, and the traffic goes on meanwhile without waiting.
 *
 * @returns how far the rebuild is; null when another process has gone on from there
 */
export async function recountDay(database: Database, rebuild: Rebuild): Promise<RebuildProgress | null> {
  const { organizationId, position, oldestId } = rebuild;
  const from = position === '' ? dayOf(cuidTime(oldestId ?? '')) : new Date(position);
  const day = await nextDay(database, organizationId, from);
  const differences = day ? await differencesIn(database, organizationId, day) : [];
  return database.transaction(async (tx) => {
    if (!(await holdRebuild(tx, rebuild))) return null;
    adjustCounts(tx, organizationId, differences);
    const progress: RebuildProgress = {
      ...(day
        ? { step: 'counts', position: new Date(day.getTime() + DAY_MS).toISOString() }
        : { step: 'done', position }),
      oldestId,
      messagesRead: 0,
      factsCorrected: 0,
      countsCorrected: differences.length,
    };
    advanceRebuild(tx, rebuild, progress);
    return progress;
  });
}

async function nextDay(database: Database, organizationId: string, from: Date): Promise<Date | null> {
  const { message, bucket } = await nextCounted(database, organizationId, from);
  const days = [message === null ? null : cuidTime(message), bucket].flatMap((time) => (time ? [dayOf(time)] : []));
  return days.sort((a, b) => a.getTime() - b.getTime())[0] ?? null;
}

/** What has to be added to each count of a day. */
async function differencesIn(database: Database, organizationId: string, day: Date): Promise<BucketCount[]> {
  const differences = new Map<string, BucketCount>();
  const add = (count: BucketCount): void => {
    const { report, grain, bucket, channelId, key } = count;
    const name = [report, grain, bucket.getTime(), channelId, key].join(' ');
    differences.set(name, { ...count, count: count.count + (differences.get(name)?.count ?? 0) });
  };
  await database.transaction(async (tx) => {
    await tx.query(oneSnapshot, []);
    for (const kept of await countsOfDay(tx, organizationId, day)) add({ ...kept, count: -kept.count });
    for await (const { report, at, channelId, key, by } of countsOfFacts(tx, organizationId, day)) {
      for (const grain of GRAINS) add({ report, grain, bucket: bucketOf(at, grain), channelId, key, count: by });
    }
  });
  return [...differences.values()].filter(({ count }) => count !== 0);
}

async function* countsOfFacts(
  tx: Transaction,
  organizationId: string,
  day: Date,
): AsyncGenerator<ReturnType<typeof countsOf>[number]> {
  // A floor sorts below every id of its moment, and no id is as short: the end is exclusive.
  const range = { organizationId, from: cuidFloor(day), until: cuidFloor(new Date(day.getTime() + DAY_MS)) };
  for (let after = ''; ;) {
    const facts = await readFacts(tx, { ...range, after }, FACTS_MAX);
    for (const fact of facts) yield* countsOf(fact, 1);
    const last = facts.at(-1);
    if (!last || facts.length < FACTS_MAX) return;
    after = last.id;
  }
}

function bucketOf(at: Date, grain: Grain): Date {
  return new Date(Math.floor(at.getTime() / lengthMs(grain)) * lengthMs(grain));
}

function dayOf(time: Date): Date {
  return bucketOf(time, 1440);
}
