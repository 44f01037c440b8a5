import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { ReportSpan } from '@switchboard/contracts/analytics/http';
import type { ReportRequest } from '@switchboard/contracts/analytics/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { ReportRange } from '../range/range.policy.js';
import { Counts, readRow } from './counts.js';
import type { RollupRow } from './rollup.repository.js';

/** Rows that are added, and points that are put into words, before others have their turn: each is up to a millisecond or two. */
const SLICE = 4;
/** What else an answer holds: its span, and what it is wrapped in. */
const SPAN_BYTES = 4_096;
/** When a point begins, and what separates it from the next. */
const START_BYTES = 40;
const TOO_LARGE =
  'The report would be larger than 32 MiB: `from`, `to`, `granularity` and `messagingChannelId` must give fewer points, or fewer templates in them';

/** Figures over a span, and over each of its points. */
export interface Report<Figures> extends ReportSpan {
  readonly totals: Figures;
  readonly series: readonly (Figures & { readonly start: string })[];
}

/**
 * Lays counts out over the points of a range, empty points included, and over all of it. A month of hours with hundreds of templates
 * takes a second: other requests have their turn meanwhile.
 *
 * @param figuresOf what the sums of a point, or of all points, come to
 */
export async function reportOf<Figures extends object>(
  { granularity, timezone }: ReportRequest,
  { bounds, from, to }: ReportRange,
  rows: readonly RollupRow[],
  figuresOf: (counts: Counts) => Figures,
): Promise<Report<Figures>> {
  const totals = new Counts();
  const points = bounds.slice(0, -1).map((start) => ({ start, counts: new Counts() }));
  for (const [index, row] of rows.entries()) {
    if (index % SLICE === SLICE - 1) await yieldToOthers();
    const counts = readRow(row);
    let all = 0;
    for (const { point, by } of row.uses) {
      points[point]?.counts.add(counts, by);
      all += by;
    }
    // What one point gives to the next is in the total once, or not at all.
    if (all !== 0) totals.add(counts, all);
  }
  const all = figuresOf(totals);
  const span = { from: from.toISOString(), to: to.toISOString(), granularity, timezone };
  const series: (Figures & { readonly start: string })[] = [];
  for (const [index, { start, counts }] of points.entries()) {
    if (index % SLICE === SLICE - 1) await yieldToOthers();
    series.push({ start: start.toISOString(), ...figuresOf(counts) });
  }
  return { ...span, totals: all, series };
}

/**
 * Counts what the figures of a report take as JSON, all points together.
 *
 * @returns `figuresOf` for one report, which throws VALIDATION_FAILED when its answer would be larger
 * Source: docs/api-behaviour.md#analytics-reports
 */
export function boundedFigures<Figures extends object>(
  figuresOf: (counts: Counts) => Figures,
  answerBytesMax: number,
): (counts: Counts) => Figures {
  let bytes = SPAN_BYTES;
  return (counts) => {
    const figures = figuresOf(counts);
    bytes += START_BYTES + Buffer.byteLength(JSON.stringify(figures));
    if (bytes > answerBytesMax) throw new AppError(serviceErrors.VALIDATION_FAILED, TOO_LARGE);
    return figures;
  };
}

/** A part of a whole, to four digits; null of nothing. */
export function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}
