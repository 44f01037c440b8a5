/**
 * Spaces what is begun again and again, and lets a few begin at once after a quiet time: what is alone waits for nothing, and
 * what goes on pays for one begin in each interval.
 *
 * Source: the generic cell rate algorithm (ITU-T I.371), with a tolerance of all but one of the burst.
 */
export class BurstPace {
  /** When the next would begin if all had kept the distance. */
  private theoreticalMs = -Infinity;

  /**
   * @param apartMs between two begins, in the long run
   * @param burst how many may follow one another at once after a quiet time
   */
  constructor(
    private readonly apartMs: number,
    private readonly burst: number,
  ) {}

  /** When the next may begin, by the caller's monotonic clock, milliseconds. */
  get readyMs(): number {
    return this.theoreticalMs - (this.burst - 1) * this.apartMs;
  }

  /** To be called at each begin. @param nowMs as `readyMs` */
  begin(nowMs: number): void {
    // Begins that could not wait are no debt: the next waits for one distance at most.
    const latestMs = nowMs + (this.burst - 1) * this.apartMs;
    this.theoreticalMs = Math.max(nowMs, Math.min(this.theoreticalMs, latestMs)) + this.apartMs;
  }
}
