/** What the queue needs to know of an entry. */
export interface QueueEntry {
  readonly tenant: string;
  readonly serialKey: string | undefined;
  readonly bytes: number;
}

/** Bounds of the queue and of the batches taken from it. */
export interface QueueLimits {
  readonly items: number;
  readonly bytes: number;
  readonly waiting: number;
}

/**
 * What waits for a batch: one line per tenant, tenants take turns, equal serial keys never leave for two batches at
 * once and keep their order.
 */
export class FairQueue<Entry extends QueueEntry> {
  private readonly lines = new Map<string, Entry[]>();
  private readonly busyKeys = new Set<string>();
  private readonly tenantMax: number;
  length = 0;

  constructor(private readonly limits: QueueLimits) {
    this.tenantMax = Math.max(1, Math.ceil(limits.waiting / 4));
  }

  /** False when the queue, or the tenant's share of it, is full. */
  offer(entry: Entry): boolean {
    const line = this.lines.get(entry.tenant);
    if (this.length >= this.limits.waiting || (line && line.length >= this.tenantMax)) return false;
    if (line) line.push(entry);
    else this.lines.set(entry.tenant, [entry]);
    this.length++;
    return true;
  }

  /**
   * The next batch: one entry of each tenant in turn, until a limit is reached or nothing is free.
   *
   * @param drop called for each entry about to be taken; true leaves it out for good
   */
  take(drop: (entry: Entry) => boolean): Entry[] {
    const batch: Entry[] = [];
    let bytes = 0;
    const takenKeys = new Set<string>();
    // A tenant served goes to the end of the map while it is walked, so this one walk is the whole round robin.
    for (const [tenant, line] of this.lines) {
      const index = line.findIndex((entry) => entry.serialKey === undefined || !this.busyKeys.has(entry.serialKey));
      const entry = line[index];
      if (!entry) continue;
      if (batch.length > 0 && bytes + entry.bytes > this.limits.bytes) break;
      this.remove(tenant, line, index);
      if (drop(entry)) continue;
      bytes += entry.bytes;
      if (entry.serialKey !== undefined) takenKeys.add(entry.serialKey);
      batch.push(entry);
      if (batch.length >= this.limits.items) break;
    }
    for (const key of takenKeys) this.busyKeys.add(key);
    return batch;
  }

  /** Frees the serial keys of a batch that has ended. */
  release(batch: readonly Entry[]): void {
    for (const { serialKey } of batch) if (serialKey !== undefined) this.busyKeys.delete(serialKey);
  }

  private remove(tenant: string, line: Entry[], index: number): void {
    if (index === 0) line.shift();
    else line.splice(index, 1);
    this.length--;
    // A tenant that was served goes to the end of the round.
    this.lines.delete(tenant);
    if (line.length > 0) this.lines.set(tenant, line);
  }
}
