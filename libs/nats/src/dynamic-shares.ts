/**
 * Divides a number of places among organizations, without a queue.
 *
 * One gets a place as long as it holds fewer than so many times as are free. With three times: alone it has three quarters
 * of all, two that want all of them have three sevenths each, and one that holds none finds one.
 *
 * Source: Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998.
 */
export class DynamicShares {
  private readonly held = new Map<string, number>();
  private free: number;

  constructor(places: number) {
    this.free = places;
  }

  /** False when the organization has its share, or none is left; true must be followed by `release`. */
  take(organizationId: string, forEachFree = 3): boolean {
    const held = this.held.get(organizationId) ?? 0;
    if (held >= forEachFree * this.free) return false;
    this.held.set(organizationId, held + 1);
    this.free--;
    return true;
  }

  release(organizationId: string): void {
    const held = (this.held.get(organizationId) ?? 0) - 1;
    if (held > 0) this.held.set(organizationId, held);
    else this.held.delete(organizationId);
    this.free++;
  }
}
