/** What the queue needs to know of an entry. */
export interface QueueEntry {
  readonly tenant: string;
  readonly serialKey: string | undefined;
  readonly bytes: number;
  /** Since when it waits in a line that is set apart, of `performance.now()`. */
  apartMs?: number | undefined;
}

/**
 * A line that is set apart has `stalled` if it timed out by itself and nothing of it has passed since. One that is `unproven` timed out
 * together with others, or has not been tried: most likely nothing of it is locked.
 */
export type ApartKind = 'stalled' | 'unproven';

/** What is set apart. */
export interface SetApart {
  /** Of its line: the tenant, or the serial key. */
  readonly name: string;
  readonly tenant: string;
  readonly kind: ApartKind;
}

/** A line that is set apart. */
export interface ApartLine<Entry> {
  readonly tenant: string;
  entries: Entry[];
  kind: ApartKind;
  /** When it was last set apart. */
  sinceMs: number;
  /** Serial keys that timed out with it when it last did. */
  suspects: readonly (string | undefined)[];
}

/** Lines set apart that are kept although they are empty: far more than rows are locked for long at once. */
const EMPTY_LINES_MAX = 1_000;
/** A line that has not timed out for so long is taken for free without a proof: of some tenants nothing ever gives one. */
const QUIET_MS = 5_000;

/** The lines of what is set apart: a tenant, or a serial key of it, that waits for a lock. See `FairQueue.setApart`. */
export class ApartLines<Entry extends QueueEntry> {
  private readonly lines = new Map<string, ApartLine<Entry>>();
  /** How many there are before empty ones are looked for. */
  private keptMax = EMPTY_LINES_MAX;

  /** How many tenants and serial keys are set apart. */
  get size(): number {
    return this.lines.size;
  }

  /** How many of them have stalled and have something that waits. */
  get stalledCount(): number {
    let count = 0;
    for (const line of this.lines.values()) if (line.kind === 'stalled' && line.entries.length > 0) count++;
    return count;
  }

  get(name: string): ApartLine<Entry> | undefined {
    return this.lines.get(name);
  }

  /** The line that an entry waits in, if its key or tenant is set apart. */
  of({ tenant, serialKey }: QueueEntry): ApartLine<Entry> | undefined {
    if (this.lines.size === 0) return undefined;
    return (serialKey === undefined ? undefined : this.lines.get(serialKey)) ?? this.lines.get(tenant);
  }

  /** All of them, the one whose turn it is first. */
  inTurn(): Iterable<[string, ApartLine<Entry>]> {
    return this.lines;
  }

  /** Puts the lines of a tenant behind those of the others, last the one that was served. */
  endTurn(served: string, line: ApartLine<Entry>): void {
    for (const [name, other] of line.kind === 'stalled' ? [...this.lines] : []) {
      if (other.tenant !== line.tenant) continue;
      this.lines.delete(name);
      this.lines.set(name, other);
    }
    this.lines.delete(served);
    this.lines.set(served, line);
  }

  /**
   * Adds to a line, or makes it.
   *
   * @param given entries that come first, in their order
   * @param joining entries of the tenant or key that waited with others until now
   */
  put({ name, tenant, kind }: SetApart, given: readonly Entry[], joining: readonly Entry[]): ApartLine<Entry> {
    this.forgetEmpty();
    const sinceMs = performance.now();
    const line = this.lines.get(name) ?? { tenant, entries: [], kind, sinceMs, suspects: [] };
    const own = name === tenant ? [] : this.moveOut(name, tenant);
    line.entries = [...given, ...line.entries, ...joining, ...own];
    for (const entry of line.entries) entry.apartMs ??= sinceMs;
    if (kind === 'stalled') line.kind = kind;
    line.sinceMs = sinceMs;
    this.lines.set(name, line);
    return line;
  }

  /** @returns the line, which is no more */
  remove(name: string): ApartLine<Entry> | undefined {
    const line = this.lines.get(name);
    this.lines.delete(name);
    return line;
  }

  /** Whether a serial key of a tenant is set apart that has stalled, and of which something waits or is under way. */
  hasStalledKey(tenant: string, underway: { has(name: string): boolean }): boolean {
    for (const [name, line] of this.lines) {
      if (line.tenant !== tenant || name === tenant || line.kind !== 'stalled') continue;
      if (line.entries.length > 0 || underway.has(name)) return true;
    }
    return false;
  }

  /** Whether a line was not set apart again for long. */
  isQuiet(name: string): boolean {
    return performance.now() - (this.lines.get(name)?.sinceMs ?? -Infinity) > QUIET_MS;
  }

  /**
   * Something of a line that is set apart has passed.
   *
   * @param batch what passed, or ended otherwise
   * @returns when the line last timed out, if it did with serial keys of which nothing was in the batch: they may be locked still
   */
  passed(name: string, batch: readonly Entry[]): number | null {
    const line = this.lines.get(name);
    if (!line) return null;
    const ended = new Set(batch.map(({ serialKey }) => serialKey));
    const isCleared = line.suspects.every((key) => ended.has(key));
    line.kind = 'unproven';
    line.suspects = [];
    return isCleared ? null : line.sinceMs;
  }

  /** Takes what waits of a serial key out of the line of its tenant, which stays when it is empty. */
  private moveOut(serialKey: string, tenant: string): Entry[] {
    const line = this.lines.get(tenant);
    if (!line) return [];
    const moved = line.entries.filter((entry) => entry.serialKey === serialKey);
    line.entries = line.entries.filter((entry) => entry.serialKey !== serialKey);
    return moved;
  }

  /** Lines whose callers have all gone would stay for ever. One whose batch is under way may be empty as well, and comes back. */
  private forgetEmpty(): void {
    if (this.lines.size <= this.keptMax) return;
    for (const [name, line] of this.lines) if (line.entries.length === 0) this.lines.delete(name);
    // A look at all for each that comes after so many would be quadratic.
    this.keptMax = Math.max(EMPTY_LINES_MAX, 2 * this.lines.size);
  }
}
