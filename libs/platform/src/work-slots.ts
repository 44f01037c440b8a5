import type { WakeSignal } from '@switchboard/timing';

/** Places for work that a polling worker begins and does not wait for. What ends makes room, and wakes the worker. */
export class WorkSlots {
  private readonly underway = new Set<Promise<void>>();

  constructor(
    private readonly max: number,
    private readonly signal: WakeSignal,
  ) {}

  get free(): number {
    return this.max - this.underway.size;
  }

  /** @param work must not reject */
  begin(work: Promise<void>): void {
    const begun = work.finally(() => {
      this.underway.delete(begun);
      this.signal.wake();
    });
    this.underway.add(begun);
  }

  /** Returns when everything that was begun has ended. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.underway);
  }
}
