/** Largest error of a percentile, as a part of its value. */
export const RELATIVE_ERROR = 0.02;

const GAMMA = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GAMMA = Math.log(GAMMA);
/** Room on either side, so that classes that follow one another extend a sketch seldom. */
const SPARE_CLASSES = 64;
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

/** How many values fell into each class. */
export class Sketch {
  /** By class, from `first` on. */
  private counts = new Float64Array(0);
  private first = 0;

  /** @param count negative: so many are taken out again */
  add(bucket: number, count: number): void {
    if (bucket < this.first || bucket >= this.first + this.counts.length) this.extend(bucket);
    const index = bucket - this.first;
    this.counts[index] = (this.counts[index] ?? 0) + count;
  }

  /**
   * The values below which these parts of what was counted lie, in seconds; null where nothing was counted.
   *
   * @param parts ascending
   */
  percentiles(parts: readonly number[]): (number | null)[] {
    const countAt = (index: number): number => Math.max(0, this.counts[index] ?? 0);
    const total = this.counts.reduce((sum, count) => sum + Math.max(0, count), 0);
    let [index, below] = [-1, 0];
    return parts.map((part) => {
      if (total === 0) return null;
      while (below <= part * (total - 1)) below += countAt(++index);
      return middleOf(this.first + index);
    });
  }

  private extend(bucket: number): void {
    const isEmpty = this.counts.length === 0;
    const first = Math.min(isEmpty ? bucket : this.first, bucket - SPARE_CLASSES);
    const last = Math.max(isEmpty ? bucket : this.first + this.counts.length - 1, bucket + SPARE_CLASSES);
    const counts = new Float64Array(last - first + 1);
    counts.set(this.counts, isEmpty ? 0 : this.first - first);
    [this.first, this.counts] = [first, counts];
  }
}

function middleOf(bucket: number): number {
  return (2 * GAMMA ** bucket) / (GAMMA + 1);
}
