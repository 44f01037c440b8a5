import { ApartLines, type ApartKind, type QueueEntry, type SetApart } from './apart-lines.js';
import { QueueBatch } from './queue-batch.js';

/** Bounds of the queue and of the batches taken from it. */
export interface QueueLimits {
  readonly items: number;
  readonly bytes: number;
  readonly waiting: number;
}

/** A batch of a line that is set apart. */
export interface ApartBatch<Entry> {
  readonly name: string;
  readonly batch: Entry[];
}

/**
 * What waits for a batch: one line per tenant, tenants take turns, equal serial keys never leave for two batches at
 * once and keep their order. What waits for a lock stands in lines of its own, see `setApart`.
 */
export class FairQueue<Entry extends QueueEntry> {
  private readonly lines = new Map<string, Entry[]>();
  /** What waits for a lock. */
  readonly apart = new ApartLines<Entry>();
  private readonly busyKeys = new Set<string>();
  private readonly waitingOf = new Map<string, number>();
  private readonly tenantMax: number;
  length = 0;

  constructor(private readonly limits: QueueLimits) {
    this.tenantMax = Math.max(1, Math.ceil(limits.waiting / 4));
  }

  /** How many tenants and serial keys are set apart. */
  get apartCount(): number {
    return this.apart.size;
  }

  /** Those with something that waits to share a batch. */
  get sharing(): Iterable<string> {
    return this.lines.keys();
  }

  /** False when the queue, or the tenant's share of it, is full. */
  offer(entry: Entry): boolean {
    if (this.length >= this.limits.waiting || (this.waitingOf.get(entry.tenant) ?? 0) >= this.tenantMax) return false;
    const apart = this.apart.of(entry);
    if (apart) entry.apartMs = performance.now();
    const line = apart?.entries ?? this.lines.get(entry.tenant);
    if (line) line.push(entry);
    else this.lines.set(entry.tenant, [entry]);
    this.count(entry, 1);
    return true;
  }

  /**
   * The next batch: one entry of each tenant in turn, until a limit is reached or nothing is free.
   *
   * @param drop called for each entry about to be taken; true leaves it out for good
   */
  take(drop: (entry: Entry) => boolean): Entry[] {
    const batch = new QueueBatch<Entry>(this.limits);
    // A tenant served goes to the end of the map while it is walked, so this one walk is the whole round robin.
    for (const [tenant, line] of this.lines) {
      const index = this.firstFree(line);
      const entry = line[index];
      if (!entry) continue;
      if (!batch.hasRoomFor(entry)) break;
      line.splice(index, 1);
      this.count(entry, -1);
      this.lines.delete(tenant);
      if (line.length > 0) this.lines.set(tenant, line);
      if (!drop(entry)) batch.add(entry);
      if (batch.isFull) break;
    }
    return this.occupy(batch.entries);
  }

  /**
   * The next batch of the lines of a kind that are set apart: of one line alone. Tenants take turns, and so do the lines of a tenant.
   *
   * @param underway names of lines that have a batch under way, of which no second one is taken
   * @param drop as of `take`
   */
  takeApart(
    kind: ApartKind,
    underway: { has(name: string): boolean },
    drop: (entry: Entry) => boolean,
  ): ApartBatch<Entry> | null {
    for (const [name, line] of this.apart.inTurn()) {
      if (line.kind !== kind || underway.has(name)) continue;
      const batch = this.takeOf(line.entries, drop);
      if (batch.length === 0) continue;
      this.apart.endTurn(name, line);
      return { name, batch: this.occupy(batch) };
    }
    return null;
  }

  /**
   * Sets a tenant, or a serial key of it, apart: what waits of it and what comes leaves by `takeApart` alone.
   *
   * @param taken entries that go back to the front of the line, in their order; their keys are free again
   * @param drop as of `take`
   */
  setApart(apart: SetApart, taken: readonly Entry[], drop: (entry: Entry) => boolean): void {
    const given = taken.filter((entry) => !drop(entry));
    const line = this.apart.put(apart, given, this.moveOut(apart));
    if (apart.kind === 'stalled') line.suspects = taken.map(({ serialKey }) => serialKey);
    for (const entry of given) this.count(entry, 1);
  }

  /** Ends `setApart`: what still waits of the line shares batches again. */
  rejoin(name: string): void {
    const line = this.apart.remove(name);
    if (!line || line.entries.length === 0) return;
    const { tenant, entries } = line;
    const own = this.apart.get(tenant);
    if (own) own.entries = [...entries, ...own.entries];
    else {
      for (const entry of entries) entry.apartMs = undefined;
      this.lines.set(tenant, [...entries, ...(this.lines.get(tenant) ?? [])]);
    }
  }

  /**
   * Looks through all that waits apart: the turn of a line comes late where many are locked.
   *
   * @param drop true leaves the entry out for good
   */
  dropApart(drop: (entry: Entry) => boolean): void {
    for (const [, line] of this.apart.inTurn()) {
      line.entries = line.entries.filter((entry) => {
        const isDropped = drop(entry);
        if (isDropped) this.count(entry, -1);
        return !isDropped;
      });
    }
  }

  /** Frees the serial keys of a batch that has ended. */
  release(batch: readonly Entry[]): void {
    for (const { serialKey } of batch) if (serialKey !== undefined) this.busyKeys.delete(serialKey);
  }

  private firstFree(line: readonly Entry[]): number {
    return line.findIndex(({ serialKey }) => serialKey === undefined || !this.busyKeys.has(serialKey));
  }

  private occupy(batch: Entry[]): Entry[] {
    for (const { serialKey } of batch) if (serialKey !== undefined) this.busyKeys.add(serialKey);
    return batch;
  }

  /** Fills a batch from the front of a line that is set apart. */
  private takeOf(line: Entry[], drop: (entry: Entry) => boolean): Entry[] {
    const batch = new QueueBatch<Entry>(this.limits);
    for (let index = this.firstFree(line); index >= 0 && !batch.isFull; index = this.firstFree(line)) {
      const entry = line[index];
      if (!entry || !batch.hasRoomFor(entry)) break;
      line.splice(index, 1);
      this.count(entry, -1);
      if (!drop(entry)) batch.add(entry);
    }
    return batch.entries;
  }

  /** Takes what waits of a tenant, or of a serial key of it, out of where it waits to share a batch. */
  private moveOut({ name, tenant }: SetApart): Entry[] {
    const shared = this.lines.get(tenant) ?? [];
    const isMoved = ({ serialKey }: Entry): boolean => name === tenant || serialKey === name;
    const kept = shared.filter((entry) => !isMoved(entry));
    if (kept.length > 0) this.lines.set(tenant, kept);
    else this.lines.delete(tenant);
    return shared.filter(isMoved);
  }

  private count({ tenant }: Entry, by: 1 | -1): void {
    this.length += by;
    const waiting = (this.waitingOf.get(tenant) ?? 0) + by;
    if (waiting > 0) this.waitingOf.set(tenant, waiting);
    else this.waitingOf.delete(tenant);
  }
}
