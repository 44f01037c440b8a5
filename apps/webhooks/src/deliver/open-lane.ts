import type { MarkedAttempt, PendingDeliveries, PendingDelivery } from '../delivery/delivery.entity.js';
import { isProbe, isUnproven, newLane, type LaneState } from '../lane/lane.policy.js';
import type { LaneSort } from './lane-sort.js';
import { floorOf, ReadFloors, type PendingFloors } from './read-floors.js';

/** First attempts that are read at once of a lane that may have many under way, and of one that may have one. */
const READ_MAX = 256;
const READ_ONE_MAX = 16;
/** While the first ones wait for their lines: so many times more with each reading, and so many at most. */
const DEEPER = 16;
const READ_DEEP_MAX = 4_096;

/** A webhook that this worker owns: what is pending of it, and what of it may begin. */
export class OpenLane {
  /** As it was acquired, or last read under the lane's lock. */
  state: LaneState = newLane;
  /** What is under way, too, may be otherwise than known here: nothing may be concluded before it is read. */
  private isDoubtful = true;
  /** There is, or may be, more pending than what is here. */
  private isBehind = true;
  /** A delivery waits for its retry that is not among `retries`. */
  private missesRetry = false;
  /** When it was acquired, or the last turn, or reading, that had it ended. */
  freeSinceMs = performance.now();
  /** When it was last seen with something pending. */
  busyAtMs = performance.now();
  readonly underWay = new Map<string, MarkedAttempt>();
  /** How many first attempts are under way, by line. */
  private readonly linesUnderWay = new Map<string, number>();
  private firsts: PendingDelivery[] = [];
  private retries: PendingDelivery[] = [];
  private moreFirsts = false;
  private moreRetries = false;
  private isCostly = false;
  /** How many are read at least: more while the first ones wait for their lines. */
  private depth = 0;
  private readonly readFloors = new ReadFloors();

  constructor(
    readonly webhookId: string,
    readonly organizationId: string,
  ) {}

  get isIdle(): boolean {
    return !this.isBehind && this.firsts.length === 0 && this.retries.length === 0 && this.underWay.size === 0;
  }

  /** Something new is pending. */
  woken(): void {
    this.isBehind = true;
  }

  /** Something that was pending before is so again, from there on. */
  wokenBelow(floors: Partial<PendingFloors>): void {
    this.isBehind = true;
    this.readFloors.lower(floors);
  }

  /** There is something pending, of which nothing is known here. */
  missed(): void {
    this.isBehind = true;
    this.readFloors.forget();
  }

  /**
   * What is known may be wrong, or is no longer in order: nothing begins before it is read again.
   *
   * @param unmarked the delivery that is pending again, where that is all that is wrong
   */
  doubt(unmarked?: PendingDelivery): void {
    this.isBehind = true;
    this.isDoubtful = true;
    if (unmarked) this.readFloors.lower(floorOf(unmarked));
    else this.readFloors.forget();
  }

  /** Where each part is read from. */
  get floors(): PendingFloors {
    return this.readFloors.current;
  }

  /**
   * Whether what is pending must be read before it is known what may begin. A lane without a slot is not read, however much
   * comes for it: what receivers that hang have waiting costs the others nothing. Nor is one that knows enough to fill its
   * slots: what is new comes after that.
   */
  mustRead(nowMs: number): boolean {
    return this.isDoubtful || (this.isBehind && this.slots(nowMs) > 0 && !this.knowsEnough);
  }

  /**
   * New first attempts, more than can be under way, of which the next may begin. Replayed ones would give way to new ones, and
   * the probe of a receiver that fails is the oldest delivery that is due, which may be a retry.
   */
  private get knowsEnough(): boolean {
    if (this.missesRetry && this.isUnproven) return false;
    const [first] = this.firsts;
    const isNew = first !== undefined && first.kind !== 'REPLAY' && this.firsts.length > this.state.windowMax;
    return isNew && this.nextFirst() !== null;
  }

  /**
   * A receiver gives way that has not proved to answer, and one whose responses are not read to their end, so that each of them
   * costs a connection, and reading what came before it is closed.
   */
  get sort(): LaneSort {
    return this.isUnproven || this.isCostly ? 'giving-way' : 'answering';
  }

  private get isUnproven(): boolean {
    return isUnproven(this.state);
  }

  /** @param isCut its response was longer than what is read of one */
  answered(isCut: boolean): void {
    this.isCostly = isCut;
  }

  /** How many first attempts are to be read of it. */
  get readMax(): number {
    return Math.max(this.isUnproven ? READ_ONE_MAX : READ_MAX, this.depth);
  }

  /** How many retries: those of a blip are due in another order than that of their events, of which the oldest is the next. */
  get retriesMax(): number {
    return Math.max(READ_MAX, this.depth);
  }

  /** To be called before it is read: what comes from then on may be missed by the reading. */
  reading(): void {
    this.isBehind = false;
    this.missesRetry = false;
    this.readFloors.begin(performance.now());
  }

  /** Takes what was read in place of all that was known. */
  refill(pending: PendingDeliveries): void {
    const { firsts, retries, marked, moreFirsts, moreRetries } = pending;
    this.readFloors.end(pending);
    this.firsts = [...firsts];
    this.retries = [...retries];
    this.moreFirsts = moreFirsts;
    this.moreRetries = moreRetries;
    this.isDoubtful = false;
    this.underWay.clear();
    this.linesUnderWay.clear();
    for (const attempt of marked) this.mark(attempt);
    this.depth = 0;
    this.readDeeper();
    if (!this.isIdle) this.busyAtMs = performance.now();
  }

  /** How many requests may begin now, by the lane's own rules. Source: docs/api-behaviour.md#webhooks-pacing. */
  slots(nowMs: number): number {
    const { probing, heldUntilMs, windowMax } = this.state;
    if (this.isDoubtful) return 0;
    if (heldUntilMs !== null && nowMs < heldUntilMs) return 0;
    // What began before the lane was opened anew is at the receiver all the same; at another URL, for 10 s at most, perhaps.
    if (probing === null) return Math.max(windowMax - this.underWay.size, 0);
    if (nowMs < probing.nextAtMs) return 0;
    for (const { beganAtMs } of this.underWay.values()) if (isProbe(this.state, beganAtMs)) return 0;
    return 1;
  }

  /** The next delivery whose attempt may begin, without taking it; new events before replayed ones, the oldest first. */
  next(nowMs: number): PendingDelivery | null {
    const first = this.nextFirst();
    const retry = this.retries.filter(({ dueAtMs }) => dueAtMs <= nowMs).reduce(earlier, null);
    if (first === null || retry === null) return first ?? retry;
    return isBefore(retry, first) ? retry : first;
  }

  /** Marks the attempt of a delivery that `next` gave. */
  begin(attempt: MarkedAttempt): void {
    const { delivery } = attempt;
    const list = delivery.tries === 0 ? this.firsts : this.retries;
    list.splice(list.indexOf(delivery), 1);
    this.mark(attempt);
    this.readFloors.lower({ marked: attempt.leaseUntilMs });
    this.busyAtMs = performance.now();
    // A retry that is due later must not keep the first attempts behind it from being read.
    this.readDeeper();
    if (this.moreRetries && this.retries.length === 0) this.isBehind = true;
  }

  /** To be called when an attempt was recorded. @param againAtMs when its delivery is due again; null: it is over */
  ended(attemptId: string, againAtMs: number | null): void {
    this.unmark(attemptId);
    const isAgain = againAtMs !== null;
    if (isAgain) this.readFloors.lower({ retries: againAtMs });
    this.missesRetry ||= isAgain;
    if (isAgain || (this.moreFirsts && this.nextFirst() === null)) this.isBehind = true;
  }

  /** Marked attempts of other processes, or of this one before a failure, that are over by now. */
  expired(nowMs: number): MarkedAttempt[] {
    return [...this.underWay.values()].filter(({ leaseUntilMs }) => leaseUntilMs <= nowMs);
  }

  /** When something may begin, or is over, next; Infinity when only an event can change that. */
  nextAtMs(nowMs: number): number {
    const leases = [...this.underWay.values()].map(({ leaseUntilMs }) => leaseUntilMs);
    const { probing, heldUntilMs } = this.state;
    const opensAtMs = Math.max(probing?.nextAtMs ?? 0, heldUntilMs ?? 0);
    const dueAtMs = Math.min(
      ...this.retries.map((retry) => retry.dueAtMs),
      this.isBehind || this.nextFirst() ? 0 : Infinity,
    );
    const beginsAtMs = Math.max(opensAtMs, dueAtMs);
    // What may begin already waits for room, which an end makes.
    return Math.min(...leases, beginsAtMs > nowMs ? beginsAtMs : Infinity);
  }

  /** The first in order whose line has no first attempt under way, nor an earlier one waiting. */
  private nextFirst(): PendingDelivery | null {
    const { firsts, linesUnderWay } = this;
    return firsts.find((delivery) => delivery.line === '' || !linesUnderWay.has(lineOf(delivery))) ?? null;
  }

  /** Those that were read of one conversation must not keep those of others behind them from being read. */
  private readDeeper(): void {
    if (!this.moreFirsts || this.nextFirst() !== null || this.firsts.length >= READ_DEEP_MAX) return;
    if (this.firsts.length >= READ_ONE_MAX) this.depth = Math.min(this.firsts.length * DEEPER, READ_DEEP_MAX);
    this.isBehind = true;
  }

  private mark(attempt: MarkedAttempt): void {
    this.underWay.set(attempt.id, attempt);
    if (attempt.delivery.tries > 0) return;
    const line = lineOf(attempt.delivery);
    this.linesUnderWay.set(line, (this.linesUnderWay.get(line) ?? 0) + 1);
  }

  private unmark(attemptId: string): void {
    const attempt = this.underWay.get(attemptId);
    if (!attempt) return;
    this.underWay.delete(attemptId);
    if (attempt.delivery.tries > 0) return;
    const line = lineOf(attempt.delivery);
    const left = (this.linesUnderWay.get(line) ?? 0) - 1;
    if (left > 0) this.linesUnderWay.set(line, left);
    else this.linesUnderWay.delete(line);
  }
}

/** What is sent again keeps an order of its own: it never holds up what is new. */
function lineOf({ line, kind }: PendingDelivery): string {
  return line === '' ? '' : `${kind} ${line}`;
}

function earlier(one: PendingDelivery | null, other: PendingDelivery): PendingDelivery {
  return one === null || isBefore(other, one) ? other : one;
}

function isBefore(one: PendingDelivery, other: PendingDelivery): boolean {
  const isReplay = one.kind === 'REPLAY';
  return isReplay === (other.kind === 'REPLAY') ? one.position < other.position : !isReplay;
}
