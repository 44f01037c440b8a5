import type { RollupReport, RollupRow } from './rollup.repository.js';

/** Until when a delay is measured, from the sending on. */
export type DelayUntil = 'delivered' | 'read';

/** Sums by what is counted together, and its keys. */
export class Counts {
  private readonly sums = new Map<RollupReport, Map<string, number>>();
  private readonly delays: Readonly<Record<DelayUntil, Map<number, number>>> = {
    delivered: new Map(),
    read: new Map(),
  };

  /** The sums of a report by key; delays are apart. */
  of(report: Exclude<RollupReport, 'delays'>): ReadonlyMap<string, number> {
    return this.sums.get(report) ?? new Map();
  }

  /** How many took how long, by bucket of the sketch. */
  delaysUntil(until: DelayUntil): ReadonlyMap<number, number> {
    return this.delays[until];
  }

  add(report: RollupReport, key: string, count: number): void {
    let sums = this.sums.get(report);
    if (!sums) this.sums.set(report, (sums = new Map()));
    sums.set(key, (sums.get(key) ?? 0) + count);
  }

  addDelay(until: DelayUntil, bucket: number, count: number): void {
    const sums = this.delays[until];
    sums.set(bucket, (sums.get(bucket) ?? 0) + count);
  }
}

/** Adds what was counted in a bucket of time to sums. A month of hours is 300,000 counts: each is read once, in place. */
export function addRow({ report, counts }: RollupRow, into: readonly Counts[]): void {
  for (let start = 0; start < counts.length;) {
    const space = counts.indexOf(' ', start);
    const newline = counts.indexOf('\n', space);
    const end = newline === -1 ? counts.length : newline;
    const count = Number(counts.slice(start, space));
    if (report === 'delays') {
      const until = counts.startsWith('read:', space + 1) ? 'read' : 'delivered';
      const bucket = Number(counts.slice(space + until.length + 2, end));
      for (const sums of into) sums.addDelay(until, bucket, count);
    } else {
      const key = counts.slice(space + 1, end);
      for (const sums of into) sums.add(report, key, count);
    }
    start = end + 1;
  }
}
