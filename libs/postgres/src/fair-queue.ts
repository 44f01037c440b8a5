import { QueueBatch } from './queue-batch.js';

/** What the queue needs to know of an entry. */
export interface QueueEntry {
  readonly tenant: string;
  readonly serialKey: string | undefined;
  readonly bytes: number;
  /** Since when it waits in a line that is set apart, of `performance.now()`. */
  apartMs?: number | undefined;
}

/** Bounds of the queue and of the batches taken from it. */
export interface QueueLimits {
  readonly items: number;
  readonly bytes: number;
  readonly waiting: number;
}

/** A line that is set apart. */
interface ApartLine<Entry> {
  readonly tenant: string;
  entries: Entry[];
  /** Whether it timed out by itself and nothing of it has passed since. */
  hasStalled: boolean;
  /** When it was last set apart. */
  sinceMs: number;
  /** Serial keys that timed out with it when it last did. */
  suspects: readonly (string | undefined)[];
}

/** A batch of a line that is set apart. */
export interface ApartBatch<Entry> {
  readonly name: string;
  readonly batch: Entry[];
}

/** Lines set apart that are kept although they are empty: far more than rows are locked for long at once. */
const EMPTY_LINES_MAX = 1_000;
/** A line that has not timed out for so long is taken for free without a proof: of some tenants nothing ever gives one. */
const QUIET_MS = 5_000;

/**
 * What waits for a batch: one line per tenant, tenants take turns, equal serial keys never leave for two batches at
 * once and keep their order. What waits for a lock stands in lines of its own, see `setApart`.
 */
export class FairQueue<Entry extends QueueEntry> {
  private readonly lines = new Map<string, Entry[]>();
  private readonly apart = new Map<string, ApartLine<Entry>>();
  private readonly busyKeys = new Set<string>();
  private readonly waitingOf = new Map<string, number>();
  private readonly tenantMax: number;
  /** How many lines are set apart before empty ones are looked for. */
  private keptMax = EMPTY_LINES_MAX;
  length = 0;

  constructor(private readonly limits: QueueLimits) {
    this.tenantMax = Math.max(1, Math.ceil(limits.waiting / 4));
  }

  /** How many tenants and serial keys are set apart. */
  get apartCount(): number {
    return this.apart.size;
  }

  /** How many of them timed out by themselves and have something that waits. */
  get stalledCount(): number {
    let count = 0;
    for (const line of this.apart.values()) if (line.hasStalled && line.entries.length > 0) count++;
    return count;
  }

  /** Those with something that waits to share a batch. */
  get sharing(): Iterable<string> {
    return this.lines.keys();
  }

  /** False when the queue, or the tenant's share of it, is full. */
  offer(entry: Entry): boolean {
    if (this.length >= this.limits.waiting || (this.waitingOf.get(entry.tenant) ?? 0) >= this.tenantMax) return false;
    const apart = this.apartLineOf(entry);
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
   * The next batch of the lines that are set apart: of one line alone. Tenants take turns, and so do the lines of a tenant.
   *
   * @param underway names of lines that have a batch under way, of which no second one is taken
   * @param haveStalled which lines: those that have timed out by themselves, or those that have not
   */
  takeApart(
    drop: (entry: Entry) => boolean,
    underway: { has(name: string): boolean },
    haveStalled: boolean,
  ): ApartBatch<Entry> | null {
    for (const [name, line] of this.apart) {
      if (line.hasStalled !== haveStalled || underway.has(name)) continue;
      const batch = this.takeOf(line.entries, drop);
      if (batch.length === 0) continue;
      this.endTurn(name, line);
      return { name, batch: this.occupy(batch) };
    }
    return null;
  }

  /**
   * Sets a tenant, or a serial key of it, apart: what waits of it and what comes leaves by `takeApart` alone.
   *
   * @param taken entries that go back to the front of the line, in their order; their keys are free again
   * @param hasStalled whether they timed out by themselves
   * @param drop as of `take`
   */
  setApart(
    name: string,
    tenant: string,
    taken: readonly Entry[],
    hasStalled: boolean,
    drop: (entry: Entry) => boolean,
  ): void {
    this.forgetEmpty();
    const sinceMs = performance.now();
    const line = this.apart.get(name) ?? { tenant, entries: [], hasStalled, sinceMs, suspects: [] };
    const given = taken.filter((entry) => !drop(entry));
    line.entries = [...given, ...line.entries, ...this.moveOut(name, tenant)];
    if (hasStalled) line.suspects = taken.map(({ serialKey }) => serialKey);
    for (const entry of line.entries) entry.apartMs ??= sinceMs;
    line.hasStalled ||= hasStalled;
    line.sinceMs = sinceMs;
    this.apart.set(name, line);
    for (const entry of given) this.count(entry, 1);
  }

  /** Whether a serial key of a tenant is set apart that timed out by itself, and of which something waits or is under way. */
  hasStalledKey(tenant: string, underway: { has(name: string): boolean }): boolean {
    for (const [name, line] of this.apart) {
      if (line.tenant !== tenant || name === tenant || !line.hasStalled) continue;
      if (line.entries.length > 0 || underway.has(name)) return true;
    }
    return false;
  }

  /** Whether a line was not set apart again for long. */
  isQuiet(name: string): boolean {
    return performance.now() - (this.apart.get(name)?.sinceMs ?? -Infinity) > QUIET_MS;
  }

  /**
   * Something of a line that is set apart has passed.
   *
   * @param batch what passed, or ended otherwise
   * @returns when the line last timed out, if it did with serial keys of which nothing was in the batch: they may be locked still
   */
  passed(name: string, batch: readonly Entry[]): number | null {
    const line = this.apart.get(name);
    if (!line) return null;
    const ended = new Set(batch.map(({ serialKey }) => serialKey));
    const isCleared = line.suspects.every((key) => ended.has(key));
    line.hasStalled = false;
    line.suspects = [];
    return isCleared ? null : line.sinceMs;
  }

  /** Ends `setApart`: what still waits of the line shares batches again. */
  rejoin(name: string): void {
    const line = this.apart.get(name);
    this.apart.delete(name);
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
    for (const line of this.apart.values()) {
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

  private apartLineOf({ tenant, serialKey }: Entry): ApartLine<Entry> | undefined {
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

  /** Puts the lines of a tenant behind those of the others, last the one that was served. */
  private endTurn(served: string, line: ApartLine<Entry>): void {
    for (const [name, other] of line.hasStalled ? [...this.apart] : []) {
      if (other.tenant !== line.tenant) continue;
      this.apart.delete(name);
      this.apart.set(name, other);
    }
    this.apart.delete(served);
    this.apart.set(served, line);
  }

  /** Takes what waits of a tenant, or of a serial key of it, out of where it waits with others. */
  private moveOut(name: string, tenant: string): Entry[] {
    const shared = this.lines.get(tenant) ?? [];
    if (name === tenant) {
      this.lines.delete(tenant);
      return shared;
    }
    const isMoved = ({ serialKey }: Entry): boolean => serialKey === name;
    const isKept = (entry: Entry): boolean => !isMoved(entry);
    if (shared.length > 0) {
      const kept = shared.filter(isKept);
      if (kept.length > 0) this.lines.set(tenant, kept);
      else this.lines.delete(tenant);
    }
    // A line that is set apart stays so when it is empty.
    const own = this.apart.get(tenant);
    const apart = own?.entries ?? [];
    if (own) own.entries = apart.filter(isKept);
    return [...shared.filter(isMoved), ...apart.filter(isMoved)];
  }

  /** Lines whose callers have all gone would stay for ever. One whose batch is under way may be empty as well, and comes back. */
  private forgetEmpty(): void {
    if (this.apart.size <= this.keptMax) return;
    for (const [name, line] of this.apart) if (line.entries.length === 0) this.apart.delete(name);
    // A look at all for each that comes after so many would be quadratic.
    this.keptMax = Math.max(EMPTY_LINES_MAX, 2 * this.apart.size);
  }

  private count({ tenant }: Entry, by: 1 | -1): void {
    this.length += by;
    const waiting = (this.waitingOf.get(tenant) ?? 0) + by;
    if (waiting > 0) this.waitingOf.set(tenant, waiting);
    else this.waitingOf.delete(tenant);
  }
}
