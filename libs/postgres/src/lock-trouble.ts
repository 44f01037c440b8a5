import { USUAL_LOCK_WAIT_MS, type LockWaitMs } from './transaction-query.js';

/** Organizations that time out by themselves before those of which nothing is known are kept from the batches of the others. */
const MANY = 2;
/** After the last timeout. */
const LATELY_MS = 5_000;
/** Tenants that are kept, at most: the keys that admission is asked for may be made up. Past that all are tried anew. */
const KEPT_MAX = 10_000;
/** A run of the average holds its locks for as long at most: a short wait outlasts two of them, that of what is tried alone four. */
const WAITS: readonly { readonly averageMaxMs: number; readonly sharedMs: LockWaitMs; readonly aloneMs: LockWaitMs }[] =
  [
    { averageMaxMs: 25, sharedMs: 50, aloneMs: 100 },
    { averageMaxMs: 50, sharedMs: 100, aloneMs: 200 },
  ];
/** What the last run counts for in the average. */
const LAST_RUN = 0.1;
/** Short waits in vain, with nothing that passes: ordinary locks may be held for longer. */
const IN_VAIN_MS = 10_000;

/**
 * What is known of tenants while the rows of many are locked. Each of them that shares a batch before it is found costs all
 * others a timeout: so from the second that is found on only those share one that have passed since and were not found
 * themselves, of which other keys may pass, until nothing has timed out for 5 s. One locked row is no such trouble: to try each of
 * hundreds of tenants by itself costs more.
 *
 * Meanwhile locks are given up early, for others wait behind what is tried; but not where runs take as long by themselves, or
 * nothing passes any more: what is slow would be taken for locked again and again.
 */
export class LockTrouble {
  private sinceMs = -Infinity;
  private lastMs = -Infinity;
  private ranMs = -Infinity;
  private averageMs = 0;
  private readonly found = new Set<string>();
  private readonly organizations = new Set<string>();
  private readonly passedSince = new Set<string>();

  /** A batch of several tenants timed out. While many are locked, only what times out alone says that they are. */
  sharedTimedOut(nowMs: number): void {
    if (!this.isOfMany(nowMs)) this.begin(nowMs);
  }

  /** There is trouble from now on: as when a tenant that shares no batch, being known to be locked, has timed out again. */
  begin(nowMs: number): void {
    if (!this.isLately(nowMs)) {
      this.found.clear();
      this.organizations.clear();
      this.passedSince.clear();
      this.sinceMs = nowMs;
    }
    this.lastMs = nowMs;
  }

  /**
   * A tenant timed out with nothing of another in its transaction.
   *
   * @param organization whose rows it locks: one that has several tenants is one
   */
  timedOut(tenant: string, organization: string, nowMs: number): void {
    if (!this.isLately(nowMs)) return;
    if (this.found.size < KEPT_MAX) this.found.add(tenant);
    if (this.organizations.size < MANY) this.organizations.add(organization);
    this.lastMs = nowMs;
  }

  /** Something of a tenant has passed by itself. */
  passed(tenant: string, nowMs: number): void {
    if (!this.isLately(nowMs)) return;
    if (this.passedSince.size >= KEPT_MAX) this.passedSince.clear();
    this.passedSince.add(tenant);
  }

  /** A run has passed, whosesoever, which took so long. */
  ran(tookMs: number, nowMs: number): void {
    this.averageMs += (tookMs - this.averageMs) * LAST_RUN;
    this.ranMs = nowMs;
  }

  /** Whether many are locked: what shares a batch may be one that is not found yet. */
  isOfMany(nowMs: number): boolean {
    return this.organizations.size >= MANY && this.isLately(nowMs);
  }

  /** Those that are to be tried by themselves before they share a batch. */
  unproven(tenants: Iterable<string>, nowMs: number): string[] {
    if (!this.isOfMany(nowMs)) return [];
    return [...tenants].filter((tenant) => this.found.has(tenant) || !this.passedSince.has(tenant));
  }

  /** For what shares a batch: while many are locked it holds rows of others, which what is tried alone outlasts. */
  sharedWaitMs(nowMs: number): LockWaitMs {
    return this.isOfMany(nowMs) ? (this.shortWaits(nowMs)?.sharedMs ?? USUAL_LOCK_WAIT_MS) : USUAL_LOCK_WAIT_MS;
  }

  /** For what is of one tenant: while many are locked, others wait behind it. */
  aloneWaitMs(nowMs: number): LockWaitMs {
    return this.isOfMany(nowMs) ? this.apartWaitMs(nowMs) : USUAL_LOCK_WAIT_MS;
  }

  /** For what is tried alone while others wait behind it, however many are locked. */
  apartWaitMs(nowMs: number): LockWaitMs {
    return this.shortWaits(nowMs)?.aloneMs ?? USUAL_LOCK_WAIT_MS;
  }

  private shortWaits(nowMs: number): (typeof WAITS)[number] | undefined {
    if (nowMs - Math.max(this.ranMs, this.sinceMs) > IN_VAIN_MS) return undefined;
    return WAITS.find(({ averageMaxMs }) => this.averageMs <= averageMaxMs);
  }

  private isLately(nowMs: number): boolean {
    return nowMs - this.lastMs <= LATELY_MS;
  }
}
