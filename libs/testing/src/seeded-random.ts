/** A source of chance that a seed determines: the same seed draws the same numbers, on every machine. */
export class SeededRandom {
  private state: number;

  /** @param seed an integer; its lower 32 bits count */
  constructor(readonly seed: number) {
    this.state = seed | 0;
  }

  /** Uniform in [0, 1). Mulberry32: 32 bits of state, no claim to secrecy. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `from` up to, but not including, `to`. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from));
  }

  /** True with that probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of them. @throws RangeError when there are none */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.integer(0, items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  /** A source of its own, so that what one user draws does not move what another draws. */
  fork(): SeededRandom {
    return new SeededRandom(Math.floor(this.next() * 2 ** 32));
  }
}
