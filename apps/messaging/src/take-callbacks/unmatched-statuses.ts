/** An answer of the upstream is recorded within a second, and behind a lock within 5. The broker holds 2,000 events back. */
const WAIT_MAX_MS = 5_000;
/** Statuses that are remembered: more than the broker gives out at once. */
const REMEMBERED_MAX = 10_000;

/**
 * How long the message of a status has been looked for: a status of ours without our reference may come before the
 * upstream's id is recorded.
 *
 * Counted from the first look of this process, not from the event's time or its deliveries: an outage lengthens both, and a
 * status that was never looked for would be dropped behind it. A restart, or another replica, begins anew.
 */
export class UnmatchedStatuses {
  private readonly firstLookMs = new Map<string, number>();

  /** @param nowMs monotonic milliseconds */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Whether the status has waited long enough, 5 s. To be asked at every look that does not find its message. */
  isOverdue(eventId: string): boolean {
    const nowMs = this.nowMs();
    const first = this.firstLookMs.get(eventId);
    if (first !== undefined) return nowMs - first >= WAIT_MAX_MS;
    this.remember(eventId, nowMs);
    return false;
  }

  /** The map keeps the order of first looks: what is too old to be asked for again goes first. */
  private remember(eventId: string, nowMs: number): void {
    this.firstLookMs.set(eventId, nowMs);
    for (const [id, first] of this.firstLookMs) {
      if (this.firstLookMs.size <= REMEMBERED_MAX && nowMs - first < 20 * WAIT_MAX_MS) break;
      this.firstLookMs.delete(id);
    }
  }
}
