/** Organizations that time out by themselves before those of which nothing is known are kept from the batches of the others. */
const MANY = 2;
/** After the last timeout. */
const LATELY_MS = 5_000;
/** Tenants that have passed, at most: the keys that admission is asked for may be made up. Past that all are tried anew. */
const PASSED_MAX = 10_000;

/**
 * What is known of tenants while the rows of many are locked. Each of them that shares a batch before it is found costs all
 * others a timeout: so from the second that is found on only those share one that have passed since and were not found
 * themselves, of which other keys may pass, until nothing has timed out for 5 s. One locked row is no such trouble: to try each of
 * hundreds of tenants by itself costs more.
 */
export class LockTrouble {
  private lastMs = -Infinity;
  private readonly found = new Set<string>();
  private readonly organizations = new Set<string>();
  private readonly passedSince = new Set<string>();

  /** A batch of several tenants timed out. */
  sharedTimedOut(nowMs: number): void {
    if (!this.isLately(nowMs)) {
      this.found.clear();
      this.organizations.clear();
      this.passedSince.clear();
    }
    this.lastMs = nowMs;
  }

  /**
   * A tenant timed out with nothing of another in its transaction.
   *
   * @param organization whose rows it locks: one that has several tenants is one
   */
  timedOut(tenant: string, organization: string, nowMs: number): void {
    this.found.add(tenant);
    this.organizations.add(organization);
    if (this.isLately(nowMs)) this.lastMs = nowMs;
  }

  /** Something of a tenant has passed by itself. */
  passed(tenant: string, nowMs: number): void {
    if (!this.isLately(nowMs)) return;
    if (this.passedSince.size >= PASSED_MAX) this.passedSince.clear();
    this.passedSince.add(tenant);
  }

  /** Whether many are locked: what shares a batch then gives up a lock early, for it may be one that is not found yet. */
  isOfMany(nowMs: number): boolean {
    return this.organizations.size >= MANY && this.isLately(nowMs);
  }

  /** Those that are to be tried by themselves before they share a batch. */
  unproven(tenants: Iterable<string>, nowMs: number): string[] {
    if (!this.isOfMany(nowMs)) return [];
    return [...tenants].filter((tenant) => this.found.has(tenant) || !this.passedSince.has(tenant));
  }

  private isLately(nowMs: number): boolean {
    return nowMs - this.lastMs <= LATELY_MS;
  }
}
