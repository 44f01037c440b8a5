/** Time from the outside, so that tests own it. */
export interface Clock {
  /** Milliseconds since the Unix epoch; may step. */
  now(): number;
  /** Milliseconds that only grow; for durations and leases. */
  monotonic(): number;
}

/** The process's own clocks. */
export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
