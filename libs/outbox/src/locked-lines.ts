import { backoffMs } from '@switchboard/timing';

/** How long a line is left alone after its first timeout, and at most. */
const PAUSE = { firstMs: 1_000, maxMs: 30_000 };
/** Far more than are locked at once. */
const LINES_MAX = 1_000;

interface Locked {
  readonly times: number;
  /** Value of `passes` when it last timed out. */
  readonly passes: number;
  readonly untilMs: number;
}

/**
 * Lines (tenants) whose events timed out, so that a lock that is held for long costs the others a timeout now and then
 * instead of one in every batch. In memory: another replica finds out by itself.
 */
export class LockedLines {
  private readonly locked = new Map<string, Locked>();
  private passes = 0;

  /** @param nowMs monotonic milliseconds */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  has(line: string): boolean {
    return this.locked.has(line);
  }

  /** Milliseconds for which events of the line are to be left alone; 0 when it may be tried. */
  pauseMs(line: string): number {
    return Math.max(0, (this.locked.get(line)?.untilMs ?? 0) - this.nowMs());
  }

  /** The lines that are to be left alone now. */
  paused(): string[] {
    return [...this.locked.keys()].filter((line) => this.pauseMs(line) > 0);
  }

  /**
   * Events of the line alone have timed out: its pause begins anew, longer when it is the first time in a batch.
   *
   * @returns whether others have passed since it timed out before: the lock is of this line, not common to all
   */
  timedOut(line: string, isFirst: boolean): boolean {
    const { passes } = this;
    const before = this.locked.get(line);
    const times = (before?.times ?? 0) + (isFirst ? 1 : 0);
    this.locked.delete(line);
    this.locked.set(line, { times, passes, untilMs: this.nowMs() + backoffMs(times, PAUSE) });
    const [oldest] = this.locked.keys();
    if (this.locked.size > LINES_MAX && oldest !== undefined) this.locked.delete(oldest);
    return before !== undefined && before.passes < passes;
  }

  /** Events of whatever line have passed. */
  somethingPassed(): void {
    this.passes++;
  }

  passed(line: string): void {
    this.locked.delete(line);
  }
}
