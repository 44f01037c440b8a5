/** How pauses between tries grow. */
export interface Backoff {
  /** Pause after the first failed try, before jitter. */
  readonly firstMs: number;
  /** Longest pause, before jitter. */
  readonly maxMs: number;
  /** Growth with each further failure; 2 by default. */
  readonly factor?: number;
}

/** A number from 0 to below 1, as `Math.random`. */
export type Random = () => number;

/**
 * Pause before the next try: grows with every failure up to its longest, ±25 %.
 *
 * @param failures 1-based count of tries that have failed
 * @param random injected by tests
 * @returns milliseconds, with a fraction
 */
export function backoffMs(failures: number, { firstMs, maxMs, factor = 2 }: Backoff, random?: Random): number {
  return jittered(Math.min(firstMs * factor ** (failures - 1), maxMs), random);
}

/** A duration ±25 %, so that processes that failed together do not come back together. */
export function jittered(durationMs: number, random: Random = Math.random): number {
  return durationMs * (0.75 + random() / 2);
}
