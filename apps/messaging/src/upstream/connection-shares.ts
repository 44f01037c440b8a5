/** So many connections one organization may have for each that is free. */
const FOR_EACH_FREE = 3;
/** And so many for its background, so that it always leaves some to its interactive sends. */
const BACKGROUND_FOR_EACH_FREE = 1;

/**
 * Divides the connections to the upstream among organizations, without a queue.
 *
 * One gets a connection as long as it has fewer than three times as many as are free: alone it has three quarters of all,
 * two that want all of them have three sevenths each, and whoever has none finds one. So however slowly the upstream
 * answers one organization, another's first attempt begins at once. Its background gets one only as long as it has fewer
 * than are free: alone it has half of all, and its interactive sends find the others.
 *
 * Source: Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998.
 */
export class ConnectionShares {
  private readonly held = new Map<string, number>();
  private free: number;

  constructor(connectionsMax: number) {
    this.free = connectionsMax;
  }

  /** False when the organization has its share, or none is left; true must be followed by `release`. */
  take(organizationId: string, isBackground = false): boolean {
    const held = this.held.get(organizationId) ?? 0;
    if (held >= (isBackground ? BACKGROUND_FOR_EACH_FREE : FOR_EACH_FREE) * this.free) return false;
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
