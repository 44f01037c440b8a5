import { median, percentile } from '../percentile.js';
import { batchOf, type BulkApi } from './bulk-api.js';
import type { BulkRow } from './bulk-row.js';

/** What is measured next to many small jobs of one organization. */
export interface ManyJobs {
  readonly crowd: BulkApi;
  readonly other: BulkApi;
  /** Milliseconds of single sends of the other one. */
  readonly sends: () => Promise<readonly number[]>;
  readonly jobs: number;
  readonly rounds: number;
  readonly onLine: (line: string) => void;
}

const RECIPIENTS_EACH = 20;
/** Of the numbers: each has one message, so that no two jobs are twins. */
const FIRST = 5_000_000;
const SUBMITTED_AT_ONCE = 8;
const FEW = 10;

/** Single sends, and ten recipients, of an organization next to thousands of small jobs of another. The jobs are left under way. */
export async function benchManyJobs({ crowd, other, sends, jobs, rounds, onLine }: ManyJobs): Promise<BulkRow[]> {
  const few = async (): Promise<number> => {
    const startedMs = performance.now();
    await other.drained((await other.send(batchOf(FEW))).id);
    return performance.now() - startedMs;
  };
  const measure = async (): Promise<{ readonly p99Ms: number; readonly fewMs: number }> => {
    const all: number[] = [];
    const ended: number[] = [];
    for (let round = 0; round < rounds; round++) {
      all.push(...(await sends()));
      ended.push(await few());
    }
    return { p99Ms: percentile(all, 0.99), fewMs: median(ended) };
  };
  const alone = await measure();
  let submitted = 0;
  await Promise.all(
    Array.from({ length: SUBMITTED_AT_ONCE }, async () => {
      while (submitted < jobs)
        await crowd.send(batchOf(RECIPIENTS_EACH, { first: FIRST + RECIPIENTS_EACH * submitted++ }));
    }),
  );
  onLine(`${jobs} jobs submitted`);
  const next = await measure();
  const row = (name: string, [ours, against]: readonly [number, number], bar: string): BulkRow => ({
    name: `${name} of another organization next to ${jobs} jobs of ${RECIPIENTS_EACH}`,
    ours: `${ours.toFixed(0)} ms`,
    against: `${against.toFixed(0)} ms alone`,
    ratio: (ours / against).toFixed(2),
    bar,
  });
  return [
    row('single sends, p99,', [next.p99Ms, alone.p99Ms], '≤ 2'),
    row(`${FEW} recipients, to the end,`, [next.fewMs, alone.fewMs], '≤ 1.2, or 1 s more'),
  ];
}
