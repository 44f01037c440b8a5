import type { ReportSpan } from '@switchboard/contracts/analytics/http';
import type { ReportRequest } from '@switchboard/contracts/analytics/rpc';
import type { ReportRange } from '../range/range.policy.js';
import type { RollupCount } from './rollup.repository.js';

/** Figures over a span, and over each of its points. */
export interface Report<Figures> extends ReportSpan {
  readonly totals: Figures;
  readonly series: readonly (Figures & { readonly start: string })[];
}

/** Sums by key. */
export type Counts = ReadonlyMap<string, number>;

/**
 * Lays counts out over the points of a range, empty points included, and over all of it.
 *
 * @param figuresOf what the sums of a point, or of all points, come to
 */
export function reportOf<Figures extends object>(
  { granularity, timezone }: ReportRequest,
  { bounds, from, to }: ReportRange,
  counts: readonly RollupCount[],
  figuresOf: (counts: Counts) => Figures,
): Report<Figures> {
  const points = Map.groupBy(counts, ({ point }) => point);
  const starts = bounds.slice(0, -1);
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    granularity,
    timezone,
    totals: figuresOf(sumOf(counts)),
    series: starts.map((start, point) => ({
      start: start.toISOString(),
      ...figuresOf(sumOf(points.get(point) ?? [])),
    })),
  };
}

function sumOf(counts: readonly RollupCount[]): Counts {
  const sums = new Map<string, number>();
  for (const { key, count } of counts) sums.set(key, (sums.get(key) ?? 0) + count);
  return sums;
}

/** The sums whose keys begin with `prefix`, by what follows it. */
export function countsUnder(counts: Counts, prefix: string): Map<string, number> {
  const found = [...counts].filter(([key]) => key.startsWith(prefix));
  return new Map(found.map(([key, count]) => [key.slice(prefix.length), count]));
}

/** A part of a whole, to four digits; null of nothing. */
export function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}
