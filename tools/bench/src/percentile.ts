/** The value below which that share of all lies; 0 of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** The median. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The median of each number by itself. */
export function mediansOf<Row extends Readonly<Record<keyof Row, number>>>(rows: readonly Row[]): Row {
  const [first] = rows;
  if (!first) throw new Error('no round was measured');
  const names = Object.keys(first) as (keyof Row)[];
  return Object.fromEntries(names.map((name) => [name, median(rows.map((row) => row[name]))])) as Row;
}
