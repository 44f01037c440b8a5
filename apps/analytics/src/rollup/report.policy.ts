import type { ReportSpan } from '@switchboard/contracts/analytics/http';
import type { ReportRequest } from '@switchboard/contracts/analytics/rpc';
import type { ReportRange } from '../range/range.policy.js';
import type { RollupCount, RollupReport } from './rollup.repository.js';

/** Figures over a span, and over each of its points. */
export interface Report<Figures> extends ReportSpan {
  readonly totals: Figures;
  readonly series: readonly (Figures & { readonly start: string })[];
}

/** Sums by what is counted together, and its keys. */
export type Counts = ReadonlyMap<RollupReport, ReadonlyMap<string, number>>;

type Sums = Map<RollupReport, Map<string, number>>;

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
  const totals: Sums = new Map();
  const points = bounds.slice(0, -1).map((start) => ({ start, sums: new Map() as Sums }));
  for (const count of counts) {
    addTo(totals, count);
    const point = points[count.point];
    if (point) addTo(point.sums, count);
  }
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    granularity,
    timezone,
    totals: figuresOf(totals),
    series: points.map(({ start, sums }) => ({ start: start.toISOString(), ...figuresOf(sums) })),
  };
}

/** A month of hours is a quarter of a million counts: each is looked at here, and nothing is made for it. */
function addTo(sums: Sums, { report, key, count }: RollupCount): void {
  let ofReport = sums.get(report);
  if (!ofReport) sums.set(report, (ofReport = new Map()));
  ofReport.set(key, (ofReport.get(key) ?? 0) + count);
}

/** A part of a whole, to four digits; null of nothing. */
export function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}
