import type { MarkedAttempt, PendingDeliveries, PendingDelivery } from '../delivery/delivery.entity.js';
import { isRetryDue } from '../delivery/retry.policy.js';
import { isProbe, isUnproven, laneByClock, newLane, type LaneState } from '../lane/lane.policy.js';
import { FirstAttempts, isBefore } from './first-attempts.js';
import type { LaneSort } from './lane-sort.js';
import { floorOf, ReadFloors, type PendingFloors } from './read-floors.js';

/** First attempts that are read at once of a lane that may have many under way, and of one that may have one. */
const READ_MAX = 256;
const READ_ONE_MAX = 16;

/** A webhook that this worker owns: what is pending of it, and what of it may begin. */
export class OpenLane {
  /** As it was acquired, or last read under the lane's lock. */
  state: LaneState = newLane;
  /** What is under way, too, may be otherwise than known here: nothing may be concluded before it is read. */
  private isDoubtful = true;
  /** There is, or may be, more pending than what is here. */
  private isBehind = true;
  /** What is known of first attempts has a gap, or may have one: they are read from their beginning. */
  private hasGap = true;
  /** A delivery waits for its retry that is not among `retries`. */
  private missesRetry = false;
  /** When it was acquired, or the last turn, or reading, that had it ended. */
  freeSinceMs = performance.now();
  /** When it was last seen with something pending. */
  busyAtMs = performance.now();
  readonly underWay = new Map<string, MarkedAttempt>();
  /** Monotonic times at which those were first seen. */
  private seenAtMs = new Map<string, number>();
  private readonly firsts = new FirstAttempts();
  private retries: PendingDelivery[] = [];
  private moreRetries = false;
  private isCostly = false;
  /** A request has succeeded since the last reading: the turn that records it has room for another. */
  private hasSucceeded = false;
  private readonly readFloors = new ReadFloors();

  constructor(
    readonly webhookId: string,
    readonly organizationId: string,
    private readonly timeScale = 1,
  ) {}

  get isIdle(): boolean {
    return !this.isBehind && this.firsts.count === 0 && this.retries.length === 0 && this.underWay.size === 0;
  }

  /** Something new is pending. */
  woken(): void {
    this.isBehind = true;
  }

  /** Something that was pending before is so again, from there on. */
  wokenBelow(floors: Partial<PendingFloors>): void {
    this.isBehind = true;
    this.hasGap = true;
    this.readFloors.lower(floors);
  }

  /** There is something pending, of which nothing is known here. */
  missed(): void {
    this.isBehind = true;
    this.hasGap = true;
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
    this.hasGap = true;
    if (unmarked) this.readFloors.lower(floorOf(unmarked));
    else this.readFloors.forget();
  }

  /** Where each part is read from. */
  get floors(): PendingFloors {
    return { ...this.readFloors.current, ...this.firsts.readFrom };
  }

  /**
   * Whether what is pending must be read before it is known what may begin. A lane without a slot is not read, however much
   * comes for it: what receivers that hang have waiting costs the others nothing. Nor is one that knows enough to fill its
   * slots: what is new comes after that. One that has them when the next turn has recorded what ended is read before it: else what is new
   * waits for all that is known, hundreds of replayed deliveries perhaps.
   */
  mustRead(nowMs: number): boolean {
    const hasSlots = this.slots(nowMs) > 0 || this.hasSucceeded;
    return this.isDoubtful || (this.isBehind && hasSlots && !this.knowsEnough);
  }

  /**
   * New first attempts, more than can be under way, of which the next may begin. Replayed ones would give way to new ones, and
   * the probe of a receiver that fails is the oldest delivery that is due, which may be a retry.
   */
  private get knowsEnough(): boolean {
    if (this.missesRetry && this.isUnproven) return false;
    return this.firsts.hasNew && this.firsts.count > this.state.windowMax && this.firsts.next !== null;
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
  answered({ isCut, isSuccess }: { readonly isCut: boolean; readonly isSuccess: boolean }): void {
    this.isCostly = isCut;
    this.hasSucceeded ||= isSuccess;
  }

  /** How many first attempts are to be read of it: few suffice for one request, unless those that are known wait for their lines. */
  get readMax(): number {
    return this.isUnproven && this.firsts.readFrom === null ? READ_ONE_MAX : READ_MAX;
  }

  /** How many retries: those of a blip are due in another order than that of their events, of which the oldest is the next. */
  get retriesMax(): number {
    return READ_MAX;
  }

  /** How many first attempts are looked at for those, and how many of them are read of one line. */
  get looks(): { readonly lookMax: number; readonly ofLineMax: number } {
    return this.firsts.looks(this.readMax);
  }

  /** To be called before it is read: what comes from then on may be missed by the reading. */
  beginReading(): void {
    this.isBehind = false;
    this.hasSucceeded = false;
    this.missesRetry = false;
    const isWhole = this.readFloors.begin(performance.now());
    this.firsts.beginReading({ isWhole: isWhole || this.hasGap });
    this.hasGap = false;
  }

  /** Takes what was read in place of what was known. */
  refill(pending: PendingDeliveries): void {
    const { retries, marked, moreRetries } = pending;
    this.firsts.refill(pending, this.floors);
    this.readFloors.end(pending, { isWhole: this.firsts.readFrom === null });
    this.retries = [...retries];
    this.moreRetries = moreRetries;
    this.isDoubtful = false;
    this.underWay.clear();
    const seenAtMs = this.seenAtMs;
    this.seenAtMs = new Map();
    for (const attempt of marked) this.mark(attempt, seenAtMs.get(attempt.id));
    if (this.firsts.mustReadOn) this.isBehind = true;
    if (!this.isIdle) this.busyAtMs = performance.now();
  }

  /** How many requests may begin now, by the lane's own rules. Source: docs/api-behaviour.md#webhooks-pacing. */
  slots(nowMs: number): number {
    if (this.isDoubtful) return 0;
    const state = laneByClock(this.state, nowMs, this.timeScale);
    const { probing, heldUntilMs, windowMax } = state;
    if (heldUntilMs !== null && nowMs < heldUntilMs) return 0;
    // What began before the lane was opened anew is at the receiver all the same; at another URL, for 10 s at most, perhaps.
    if (probing === null) return Math.max(windowMax - this.underWay.size, 0);
    if (nowMs < probing.nextAtMs) return 0;
    for (const { beganAtMs } of this.underWay.values()) if (isProbe(state, beganAtMs)) return 0;
    return 1;
  }

  /** The next delivery whose attempt may begin, without taking it; new events before replayed ones, the oldest first. */
  next(nowMs: number): PendingDelivery | null {
    const first = this.firsts.next;
    const isDue = ({ dueAtMs }: PendingDelivery): boolean => isRetryDue(dueAtMs, nowMs, this.timeScale);
    const retry = this.retries.filter(isDue).reduce(earlier, null);
    if (first === null || retry === null) return first ?? retry;
    return isBefore(retry, first) ? retry : first;
  }

  /** Marks the attempt of a delivery that `next` gave. */
  begin(attempt: MarkedAttempt): void {
    const { delivery } = attempt;
    if (delivery.tries === 0) this.firsts.begin(delivery);
    else this.retries.splice(this.retries.indexOf(delivery), 1);
    this.mark(attempt);
    this.readFloors.lower({ marked: attempt.leaseUntilMs });
    this.busyAtMs = performance.now();
    // A retry that is due later must not keep the first attempts behind it from being read.
    if (this.firsts.mustReadOn) this.isBehind = true;
    if (this.moreRetries && this.retries.length === 0) this.isBehind = true;
  }

  /** To be called when an attempt was recorded. @param againAtMs when its delivery is due again; null: it is over */
  ended(attemptId: string, againAtMs: number | null): void {
    const delivery = this.underWay.get(attemptId)?.delivery;
    this.underWay.delete(attemptId);
    this.seenAtMs.delete(attemptId);
    if (delivery?.tries === 0 && this.firsts.ended(delivery)) this.hasGap = this.isBehind = true;
    const isAgain = againAtMs !== null;
    if (isAgain) this.readFloors.lower({ retries: againAtMs });
    this.missesRetry ||= isAgain;
    if (isAgain || this.firsts.mustReadOn) this.isBehind = true;
  }

  /**
   * Marked attempts of other processes, or of this one before a failure, that are over by now: by the time of their lease, or since
   * they were seen for as long as it lasts, whatever the database's clock does meanwhile.
   */
  expired(nowMs: number): MarkedAttempt[] {
    const atMs = performance.now();
    return [...this.underWay.values()].filter(({ id, beganAtMs, leaseUntilMs }) => {
      const seenForMs = atMs - (this.seenAtMs.get(id) ?? atMs);
      return leaseUntilMs <= nowMs || seenForMs >= leaseUntilMs - beganAtMs;
    });
  }

  /** When something may begin, or is over, next; Infinity when only an event can change that. */
  nextAtMs(nowMs: number): number {
    const leases = [...this.underWay.values()].map(({ leaseUntilMs }) => leaseUntilMs);
    const { probing, heldUntilMs } = this.state;
    const opensAtMs = Math.max(probing?.nextAtMs ?? 0, heldUntilMs ?? 0);
    const dueAtMs = Math.min(
      ...this.retries.map((retry) => retry.dueAtMs),
      this.isBehind || this.firsts.next ? 0 : Infinity,
    );
    const beginsAtMs = Math.max(opensAtMs, dueAtMs);
    // What may begin already waits for room, which an end makes.
    return Math.min(...leases, beginsAtMs > nowMs ? beginsAtMs : Infinity);
  }

  private mark(attempt: MarkedAttempt, seenAtMs = performance.now()): void {
    this.underWay.set(attempt.id, attempt);
    this.seenAtMs.set(attempt.id, seenAtMs);
  }
}

function earlier(one: PendingDelivery | null, other: PendingDelivery): PendingDelivery {
  return one === null || isBefore(other, one) ? other : one;
}
