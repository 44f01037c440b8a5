import { RecentMap } from '@switchboard/timing';

/** How often something may happen. */
export interface Allowance {
  /** At once, for one at rest. */
  readonly burst: number;
  /** Beyond the burst, one more per interval. */
  readonly intervalMs: number;
}

const KEPT_MAX = 10_000;

/**
 * Counts what each of many does against the same allowance, by the generic cell rate algorithm. Bounded in memory: of so many the
 * one that was counted least recently is forgotten.
 */
export class Allowances {
  /** When each is at rest again. */
  private readonly atRestMs = new RecentMap<string, number>(KEPT_MAX);

  constructor(private readonly allowance: Allowance) {}

  /** How long one more would have to wait, in milliseconds; counts nothing. @param nowMs monotonic */
  waitMs(key: string, nowMs: number): number {
    const { burst, intervalMs } = this.allowance;
    return Math.max(0, this.next(key, nowMs) - nowMs - burst * intervalMs);
  }

  /** Counts one more. @param nowMs monotonic */
  take(key: string, nowMs: number): void {
    this.atRestMs.set(key, this.next(key, nowMs));
  }

  /** What was counted for one goes on under another name. */
  rename(key: string, newKey: string): void {
    const atRestMs = this.atRestMs.get(key);
    this.atRestMs.delete(key);
    if (atRestMs !== undefined) this.atRestMs.set(newKey, atRestMs);
  }

  private next(key: string, nowMs: number): number {
    return Math.max(this.atRestMs.get(key) ?? 0, nowMs) + this.allowance.intervalMs;
  }
}
