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

/** Lines set apart that are kept although they are empty: far more than rows are locked for long at once. */
const EMPTY_LINES_MAX = 1_000;

/**
 * What waits for a batch: one line per tenant, tenants take turns, equal serial keys never leave for two batches at
 * once and keep their order. What waits for a lock stands in lines of its own, see `setApart`.
 */
export class FairQueue<Entry extends QueueEntry> {
  private readonly lines = new Map<string, Entry[]>();
  private readonly apart = new Map<string, Entry[]>();
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

  /** False when the queue, or the tenant's share of it, is full. */
  offer(entry: Entry): boolean {
    if (this.length >= this.limits.waiting || (this.waitingOf.get(entry.tenant) ?? 0) >= this.tenantMax) return false;
    const apart = this.apartLineOf(entry);
    const line = apart ?? this.lines.get(entry.tenant);
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
    const batch = new Batch<Entry>(this.limits);
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
   * The next batch of the lines that are set apart: of one line alone, lines take turns.
   *
   * @param underway names of lines that have a batch under way, of which no second one is taken
   */
  takeApart(
    drop: (entry: Entry) => boolean,
    underway: ReadonlySet<string>,
  ): { readonly name: string; readonly batch: Entry[] } | null {
    for (const [name, line] of this.apart) {
      if (underway.has(name)) continue;
      const batch = new Batch<Entry>(this.limits);
      for (let index = this.firstFree(line); index >= 0 && !batch.isFull; index = this.firstFree(line)) {
        const entry = line[index];
        if (!entry || !batch.hasRoomFor(entry)) break;
        line.splice(index, 1);
        this.count(entry, -1);
        if (!drop(entry)) batch.add(entry);
      }
      if (batch.entries.length === 0) continue;
      this.apart.delete(name);
      this.apart.set(name, line);
      return { name, batch: this.occupy(batch.entries) };
    }
    return null;
  }

  /**
   * Sets a tenant, or a serial key of it, apart: what waits of it and what comes leaves by `takeApart` alone.
   *
   * @param given entries that were taken and go back to the front of the line, in their order; their keys are free again
   */
  setApart(name: string, tenant: string, given: readonly Entry[]): void {
    this.forgetEmpty();
    const isOfLine = (entry: Entry): boolean => name === tenant || entry.serialKey === name;
    const former = this.apart.get(name) ?? [];
    const moved = [this.lines, ...(name === tenant ? [] : [this.apart])].flatMap((lines) =>
      this.moveOut(lines, tenant, isOfLine),
    );
    this.apart.set(name, [...given, ...former, ...moved]);
    for (const entry of given) this.count(entry, 1);
  }

  /** Ends `setApart`: what still waits of the line shares batches again. */
  rejoin(name: string): void {
    const line = this.apart.get(name) ?? [];
    this.apart.delete(name);
    const tenant = line[0]?.tenant;
    if (tenant === undefined) return;
    const lines = this.apart.has(tenant) ? this.apart : this.lines;
    lines.set(tenant, [...line, ...(lines.get(tenant) ?? [])]);
  }

  /** Frees the serial keys of a batch that has ended. */
  release(batch: readonly Entry[]): void {
    for (const { serialKey } of batch) if (serialKey !== undefined) this.busyKeys.delete(serialKey);
  }

  private apartLineOf({ tenant, serialKey }: Entry): Entry[] | undefined {
    if (this.apart.size === 0) return undefined;
    return (serialKey === undefined ? undefined : this.apart.get(serialKey)) ?? this.apart.get(tenant);
  }

  private firstFree(line: readonly Entry[]): number {
    return line.findIndex(({ serialKey }) => serialKey === undefined || !this.busyKeys.has(serialKey));
  }

  private occupy(batch: Entry[]): Entry[] {
    for (const { serialKey } of batch) if (serialKey !== undefined) this.busyKeys.add(serialKey);
    return batch;
  }

  private moveOut(lines: Map<string, Entry[]>, tenant: string, isMoved: (entry: Entry) => boolean): Entry[] {
    const line = lines.get(tenant);
    if (!line) return [];
    const kept = line.filter((entry) => !isMoved(entry));
    // A line that is set apart stays so when it is empty.
    if (kept.length > 0 || lines === this.apart) lines.set(tenant, kept);
    else lines.delete(tenant);
    return line.filter(isMoved);
  }

  /** Lines whose callers have all gone would stay for ever. One whose batch is under way may be empty as well, and comes back. */
  private forgetEmpty(): void {
    if (this.apart.size <= EMPTY_LINES_MAX) return;
    for (const [name, line] of this.apart) if (line.length === 0) this.apart.delete(name);
  }

  private count({ tenant }: Entry, by: 1 | -1): void {
    this.length += by;
    const waiting = (this.waitingOf.get(tenant) ?? 0) + by;
    if (waiting > 0) this.waitingOf.set(tenant, waiting);
    else this.waitingOf.delete(tenant);
  }
}

/** A batch that is being filled within the limits. */
class Batch<Entry extends QueueEntry> {
  readonly entries: Entry[] = [];
  private bytes = 0;

  constructor(private readonly limits: QueueLimits) {}

  get isFull(): boolean {
    return this.entries.length >= this.limits.items;
  }

  /** A larger entry goes alone. */
  hasRoomFor({ bytes }: Entry): boolean {
    return this.entries.length === 0 || this.bytes + bytes <= this.limits.bytes;
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    this.bytes += entry.bytes;
  }
}
