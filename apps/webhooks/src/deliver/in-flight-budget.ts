/** Bytes of a body that one unit of the budget stands for. */
const UNIT_BYTES = 32 * 1024;

/**
 * What the requests in flight of one process may hold, in sockets and memory: no receiver and no organization can use it up.
 *
 * One may hold at most as much as is free: a large holder leaves as much for the next, which does the same, so that the
 * room of a newcomer shrinks and is never gone (dynamic thresholds; Choudhury and Hahne, 1998).
 */
export class InFlightBudget {
  private used = 0;
  private readonly held = new Map<string, number>();

  /** @param units requests with bodies of up to 32 KiB, at most */
  constructor(private readonly units: number) {}

  /** Whether a request fits in, for its webhook and for its organization. */
  fits(holders: readonly string[], bodyBytes: number): boolean {
    const free = this.units - this.used;
    const cost = costOf(bodyBytes);
    return cost <= free && holders.every((holder) => (this.held.get(holder) ?? 0) < free);
  }

  take(holders: readonly string[], bodyBytes: number): void {
    this.add(holders, costOf(bodyBytes));
  }

  giveBack(holders: readonly string[], bodyBytes: number): void {
    this.add(holders, -costOf(bodyBytes));
  }

  private add(holders: readonly string[], cost: number): void {
    this.used += cost;
    for (const holder of holders) {
      const held = (this.held.get(holder) ?? 0) + cost;
      if (held > 0) this.held.set(holder, held);
      else this.held.delete(holder);
    }
  }
}

function costOf(bodyBytes: number): number {
  return Math.max(Math.ceil(bodyBytes / UNIT_BYTES), 1);
}
