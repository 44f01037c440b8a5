/** Largest error of a percentile, as a part of its value. */
export const RELATIVE_ERROR = 0.02;

const GAMMA = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GAMMA = Math.log(GAMMA);
/** Shorter times count as this one. */
const SECONDS_MIN = 0.001;

/**
 * The bucket of a time: bounds grow by a constant factor, so that whatever is in a bucket is within the error of its
 * middle. Counts of buckets can be added, and taken back.
 *
 * Source: Masson, Rim, Lee, "DDSketch: A fast and fully-mergeable quantile sketch with relative-error guarantees" (2019)
 */
export function sketchBucketOf(seconds: number): number {
  return Math.ceil(Math.log(Math.max(seconds, SECONDS_MIN)) / LOG_GAMMA);
}

/**
 * The values below which these parts of what was counted lie, in seconds; null where nothing was counted.
 *
 * @param parts ascending
 */
export function percentilesOf(buckets: ReadonlyMap<number, number>, parts: readonly number[]): (number | null)[] {
  const counted = [...buckets].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
  const total = counted.reduce((sum, [, count]) => sum + count, 0);
  let [index, below] = [-1, 0];
  return parts.map((part) => {
    if (total === 0) return null;
    while (below <= part * (total - 1)) below += counted[++index]?.[1] ?? Infinity;
    return middleOf(counted[index]?.[0] ?? NaN);
  });
}

function middleOf(bucket: number): number {
  return (2 * GAMMA ** bucket) / (GAMMA + 1);
}
