/**
 * How many retries may be under way: half as many after one that could not begin (the upstream is away, or the connections
 * that it may use are taken), twice as many after one that did. So an outage costs one attempt at a time, and is over with the first that
 * begins.
 */
export class ClaimWindow {
  private open: number;

  constructor(private readonly max: number) {
    this.open = max;
  }

  get size(): number {
    return this.open;
  }

  /** Whether what is claimed next only finds out whether anything can begin. */
  get isProbe(): boolean {
    return this.open === 1;
  }

  /** One has begun. */
  widen(): void {
    this.open = Math.min(this.open * 2, this.max);
  }

  /** One could not begin. */
  narrow(): void {
    this.open = Math.max(Math.floor(this.open / 2), 1);
  }
}
