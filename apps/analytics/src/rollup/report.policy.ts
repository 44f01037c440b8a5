import type { ReportSpan } from '@switchboard/contracts/analytics/http';
import type { ReportRequest } from '@switchboard/contracts/analytics/rpc';
import type { ReportRange } from '../range/range.policy.js';
import { Counts, readRow } from './counts.js';
import type { RollupRow } from './rollup.repository.js';

/** Figures over a span, and over each of its points. */
export interface Report<Figures> extends ReportSpan {
  readonly totals: Figures;
  readonly series: readonly (Figures & { readonly start: string })[];
}

/**
 * Lays counts out over the points of a range, empty points included, and over all of it.
 *
 * @param figuresOf what the sums of a point, or of all points, come to
 */
export function reportOf<Figures extends object>(
  { granularity, timezone }: ReportRequest,
  { bounds, from, to }: ReportRange,
  rows: readonly RollupRow[],
  figuresOf: (counts: Counts) => Figures,
): Report<Figures> {
  const totals = new Counts();
  const points = bounds.slice(0, -1).map((start) => ({ start, counts: new Counts() }));
  for (const row of rows) {
    const counts = readRow(row);
    let all = 0;
    for (const { point, by } of row.uses) {
      points[point]?.counts.add(counts, by);
      all += by;
    }
    // What one point gives to the next is in the total once, or not at all.
    if (all !== 0) totals.add(counts, all);
  }
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    granularity,
    timezone,
    totals: figuresOf(totals),
    series: points.map(({ start, counts }) => ({ start: start.toISOString(), ...figuresOf(counts) })),
  };
}

/** A part of a whole, to four digits; null of nothing. */
export function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}
