/** The 99th percentile of durations; 0 of none. */
export function p99(durationsMs: readonly number[]): number {
  const sorted = durationsMs.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
}
