import { cuidFloor, cuidTime } from '@switchboard/contracts/grammar/cuid';
import { statement, type Database, type Transaction } from '@switchboard/postgres';
import { countsOf } from '../fact/counted-fact.policy.js';
import { readFacts } from '../fact/fact-range.repository.js';
import { advanceRebuild, holdRebuild, type Rebuild, type RebuildProgress } from '../rebuild/rebuild.repository.js';
import {
  adjustCounts,
  countsOfHour,
  nextCounted,
  type BucketCount,
  type Grain,
} from '../rollup/rollup-hour.repository.js';

const HOUR_MS = 3_600_000;
const FACTS_MAX = 5_000;
const GRAINS: readonly Grain[] = [15, 60];

const oneSnapshot = statement(
  'analytics.rebuild.one-snapshot',
  'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY',
);

/**
 * Makes the counts of the next hour what its facts add up to.
 *
 * Facts and counts change in the same transactions, so what they differ by in one snapshot they differ by at any time: the
 * difference is added afterwards, and the traffic goes on meanwhile without waiting.
 *
 * @returns how far the rebuild is; null when another process has gone on from there
 */
export async function recountHour(database: Database, rebuild: Rebuild): Promise<RebuildProgress | null> {
  const { organizationId, position, oldestId } = rebuild;
  const from = position === '' ? hourOf(cuidTime(oldestId ?? '')) : new Date(position);
  const hour = await nextHour(database, organizationId, from);
  const differences = hour ? await differencesIn(database, organizationId, hour) : [];
  return database.transaction(async (tx) => {
    if (!(await holdRebuild(tx, rebuild))) return null;
    adjustCounts(tx, organizationId, differences);
    const progress: RebuildProgress = {
      ...(hour
        ? { step: 'counts', position: new Date(hour.getTime() + HOUR_MS).toISOString() }
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

async function nextHour(database: Database, organizationId: string, from: Date): Promise<Date | null> {
  const { message, bucket } = await nextCounted(database, organizationId, from);
  const hours = [message === null ? null : cuidTime(message), bucket].flatMap((time) => (time ? [hourOf(time)] : []));
  return hours.sort((a, b) => a.getTime() - b.getTime())[0] ?? null;
}

/** What has to be added to each count of an hour. */
async function differencesIn(database: Database, organizationId: string, hour: Date): Promise<BucketCount[]> {
  const differences = new Map<string, BucketCount>();
  const add = (count: BucketCount): void => {
    const { report, grain, bucket, channelId, key } = count;
    const name = [report, grain, bucket.getTime(), channelId, key].join(' ');
    differences.set(name, { ...count, count: count.count + (differences.get(name)?.count ?? 0) });
  };
  await database.transaction(async (tx) => {
    await tx.query(oneSnapshot, []);
    for (const kept of await countsOfHour(tx, organizationId, hour)) add({ ...kept, count: -kept.count });
    for await (const { report, at, channelId, key, by } of countsOfFacts(tx, organizationId, hour)) {
      for (const grain of GRAINS) add({ report, grain, bucket: bucketOf(at, grain), channelId, key, count: by });
    }
  });
  return [...differences.values()].filter(({ count }) => count !== 0);
}

async function* countsOfFacts(
  tx: Transaction,
  organizationId: string,
  hour: Date,
): AsyncGenerator<ReturnType<typeof countsOf>[number]> {
  // A floor sorts below every id of its moment, and no id is as short: the end is exclusive.
  const range = { organizationId, from: cuidFloor(hour), until: cuidFloor(new Date(hour.getTime() + HOUR_MS)) };
  for (let after = ''; ;) {
    const facts = await readFacts(tx, { ...range, after }, FACTS_MAX);
    for (const fact of facts) yield* countsOf(fact, 1);
    const last = facts.at(-1);
    if (!last || facts.length < FACTS_MAX) return;
    after = last.id;
  }
}

function bucketOf(at: Date, grain: Grain): Date {
  const lengthMs = grain * 60_000;
  return new Date(Math.floor(at.getTime() / lengthMs) * lengthMs);
}

function hourOf(time: Date): Date {
  return bucketOf(time, 60);
}
