import { LockTrouble, type LockWaitMs } from '@switchboard/postgres';
import { backoffMs, RecentMap } from '@switchboard/timing';

/** How long a line is left alone after its first timeout, and at most. */
const PAUSE = { firstMs: 1_000, maxMs: 30_000 };
/** Far more than are locked at once. */
const LINES_MAX = 1_000;
/** So long after its last timeout a line shares no transaction with others, though something of it passes: more may be locked. */
const APART_MS = 5_000;
/** While those of many are locked, between lines that are waited for as usual. */
const TURN_EVERY_MS = 10_000;

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
  private readonly locked = new RecentMap<string, Locked>(LINES_MAX);
  /** When lines last timed out, whatever has passed of them since. */
  private readonly timedOutMs = new RecentMap<string, number>(LINES_MAX);
  private readonly trouble = new LockTrouble();
  private passes = 0;
  private turnMs = -Infinity;

  /** @param nowMs monotonic milliseconds */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  has(line: string): boolean {
    return this.locked.has(line);
  }

  /** Those that are to share no transaction with others: some of their rows are locked, or may be while those of many are. */
  apart(lines: ReadonlySet<string>): ReadonlySet<string> {
    const nowMs = this.nowMs();
    const isLocked = (line: string): boolean =>
      this.locked.has(line) || nowMs - (this.timedOutMs.get(line) ?? -Infinity) <= APART_MS;
    return new Set([...[...lines].filter(isLocked), ...this.trouble.unproven(lines, nowMs)]);
  }

  /** Whether those of many are locked. */
  isOfMany(): boolean {
    return this.trouble.isOfMany(this.nowMs());
  }

  /** How long events of several lines wait for a lock. */
  sharedWaitMs(): LockWaitMs {
    return this.trouble.sharedWaitMs(this.nowMs());
  }

  /** How long events of one line wait for a lock. */
  aloneWaitMs(): LockWaitMs {
    return this.trouble.aloneWaitMs(this.nowMs());
  }

  /**
   * Whether a lock of this line is waited for as usual though those of many are locked: that of one in 10 s which is known to be locked. So what is
   * slow passes by turns, and what cannot pass fails.
   */
  takesTurn(line: string): boolean {
    const nowMs = this.nowMs();
    if (!this.isOfMany() || !this.locked.has(line) || nowMs - this.turnMs < TURN_EVERY_MS) return false;
    this.turnMs = nowMs;
    return true;
  }

  /** When the line may be tried again, in monotonic milliseconds; 0 for one that is not known to be locked. */
  fromMs(line: string): number {
    return this.locked.get(line)?.untilMs ?? 0;
  }

  /** Milliseconds for which events of the line are to be left alone; 0 when it may be tried. */
  pauseMs(line: string): number {
    return Math.max(0, this.fromMs(line) - this.nowMs());
  }

  /** The lines that are to be left alone now. */
  paused(): string[] {
    return [...this.locked.keys()].filter((line) => this.pauseMs(line) > 0);
  }

  /**
   * Events of the line alone have timed out, for the first time in a batch: its pause begins anew and is longer.
   *
   * @returns whether others have passed since it timed out before: the lock is of this line, not common to all
   */
  timedOut(line: string): boolean {
    const before = this.locked.get(line);
    if (before) this.begin(this.nowMs());
    return this.pause(line, (before?.times ?? 0) + 1);
  }

  /** As `timedOut`, for events that timed out in the same batch after others of the line: the pause is no longer for them. */
  timedOutAgain(line: string): boolean {
    return this.pause(line, this.locked.get(line)?.times ?? 0);
  }

  /** Events of several lines have timed out together. */
  sharedTimedOut(): void {
    if (!this.isOfMany()) this.begin(this.nowMs());
  }

  /** Events of these lines have passed in a transaction, which took so long. */
  somethingPassed(lines: Iterable<string>, tookMs: number): void {
    this.passes++;
    this.trouble.ran(tookMs, this.nowMs());
    for (const line of lines) this.trouble.passed(line, this.nowMs());
  }

  /** All of the line that was tried has passed. */
  passed(line: string): void {
    this.locked.delete(line);
  }

  private pause(line: string, times: number): boolean {
    const { passes } = this;
    const nowMs = this.nowMs();
    const before = this.locked.get(line);
    this.locked.set(line, { times, passes, untilMs: nowMs + backoffMs(times, PAUSE) });
    this.timedOutMs.set(line, nowMs);
    this.trouble.timedOut(line, line, nowMs);
    return before !== undefined && before.passes < passes;
  }

  private begin(nowMs: number): void {
    if (!this.isOfMany()) this.turnMs = nowMs;
    this.trouble.begin(nowMs);
  }
}
