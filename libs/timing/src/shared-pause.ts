import { pause } from './pause.js';

/** A wait that ends for all at once who begin it within its time: what each does next can share a batch. */
export class SharedPause {
  private current: Promise<void> | undefined;

  constructor(
    private readonly durationMs: number,
    /** Ends it early, and leaves none behind. */
    private readonly signal: AbortSignal,
  ) {}

  /** At most `durationMs`, from its first caller on. */
  async wait(): Promise<void> {
    this.current ??= pause(this.durationMs, this.signal).finally(() => (this.current = undefined));
    await this.current;
  }
}
