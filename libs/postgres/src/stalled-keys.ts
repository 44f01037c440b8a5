/** A tenant with serial keys that time out while others of it pass stays apart for so long: more of its keys may be locked. */
const KEYS_APART_MS = 5_000;

/** Tenants of which serial keys timed out lately, apart from others of them that passed. Times are those of `performance.now()`. */
export class StalledKeys {
  /** When a key last timed out, by tenant. */
  private readonly lastMs = new Map<string, number>();

  has(tenant: string): boolean {
    return this.lastMs.has(tenant);
  }

  note(tenant: string, atMs: number): void {
    this.lastMs.set(tenant, atMs);
  }

  /**
   * Forgets those of which no key has timed out for long.
   *
   * @param isWaitedFor whether a key of the tenant is still to have its turn, which behind the locks of many comes later than that
   */
  forgetOld(nowMs: number, isWaitedFor: (tenant: string) => boolean): void {
    for (const [tenant, lastMs] of this.lastMs) {
      if (nowMs - lastMs <= KEYS_APART_MS) continue;
      if (isWaitedFor(tenant)) this.note(tenant, nowMs);
      else this.lastMs.delete(tenant);
    }
  }
}
