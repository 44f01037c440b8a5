/** Width of a bucket. Wide enough that a loaded simulator wakes 100 times a second, narrow compared with the 20 ms default delay. */
const BUCKET_MS = 10;
/** setTimeout turns longer delays into 1 ms. */
const TIMER_DELAY_MS_MAX = 2_147_483_647;

/**
 * Hands items over when they are due, never before, at most about 10 ms after.
 *
 * One timer serves all items: they lie in buckets of 10 ms, so that adding one costs a look-up and not a timer, and all
 * that falls due together is handed over together. Times are milliseconds of the wall clock, since they outlive the process.
 */
export class Timetable<T> {
  readonly #buckets = new Map<number, T[]>();
  /** Slots that hold items, latest first, so that the next one is taken from the end. */
  readonly #slots: number[] = [];
  #timer: NodeJS.Timeout | undefined;
  #armedSlot = Infinity;
  #size = 0;

  constructor(private readonly onDue: (items: readonly T[]) => void) {}

  /** Number of items that wait. */
  get size(): number {
    return this.#size;
  }

  /** Adds an item; one whose time has passed is handed over in a later turn of the event loop, not inside this call. */
  add(dueAtMs: number, item: T): void {
    const slot = Math.ceil(dueAtMs / BUCKET_MS);
    const bucket = this.#buckets.get(slot);
    if (bucket) bucket.push(item);
    else {
      this.#buckets.set(slot, [item]);
      this.#insert(slot);
    }
    this.#size += 1;
    if (slot < this.#armedSlot) this.#arm(slot);
  }

  /** Forgets every item and the timer. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#armedSlot = Infinity;
    this.#buckets.clear();
    this.#slots.length = 0;
    this.#size = 0;
  }

  #insert(slot: number): void {
    let low = 0;
    let high = this.#slots.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#slots[middle] ?? 0) > slot) low = middle + 1;
      else high = middle;
    }
    this.#slots.splice(low, 0, slot);
  }

  #arm(slot: number): void {
    clearTimeout(this.#timer);
    this.#armedSlot = slot;
    const delayMs = Math.min(Math.max(slot * BUCKET_MS - Date.now(), 0), TIMER_DELAY_MS_MAX);
    this.#timer = setTimeout(() => this.#drain(), delayMs);
  }

  #drain(): void {
    this.#armedSlot = Infinity;
    const nowMs = Date.now();
    const due: T[] = [];
    for (let slot = this.#slots.at(-1); slot !== undefined && slot * BUCKET_MS <= nowMs; slot = this.#slots.at(-1)) {
      this.#slots.pop();
      for (const item of this.#buckets.get(slot) ?? []) due.push(item);
      this.#buckets.delete(slot);
    }
    this.#size -= due.length;
    if (due.length > 0) this.onDue(due);
    const next = this.#slots.at(-1);
    if (next !== undefined && next < this.#armedSlot) this.#arm(next);
  }
}
