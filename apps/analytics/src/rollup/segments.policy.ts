/** Lengths of buckets, in minutes. */
export type Grain = 15 | 60 | 1440;

/** All of them, longest first. */
export const GRAINS: readonly Grain[] = [1440, 60, 15];

/** A stretch of time that buckets of one length fill. */
export interface Segment {
  readonly grain: Grain;
  readonly from: Date;
  readonly to: Date;
}

/**
 * The fewest buckets that fill the time between the bounds, none of them across a bound: days where a point has whole UTC days,
 * hours and quarters at its edges.
 *
 * @param bounds multiples of 15 minutes, ascending
 * @returns segments that follow one another
 */
export function segmentsOf(bounds: readonly Date[]): Segment[] {
  const segments: { grain: Grain; fromMs: number; toMs: number }[] = [];
  let at = bounds[0]?.getTime() ?? 0;
  for (const bound of bounds.slice(1)) {
    for (const end = bound.getTime(); at < end;) {
      const grain = GRAINS.find((one) => at % lengthMs(one) === 0 && at + lengthMs(one) <= end) ?? 15;
      const next = at + lengthMs(grain);
      const last = segments.at(-1);
      if (last?.grain === grain) last.toMs = next;
      else segments.push({ grain, fromMs: at, toMs: next });
      at = next;
    }
  }
  return segments.map(({ grain, fromMs, toMs }) => ({ grain, from: new Date(fromMs), to: new Date(toMs) }));
}

/** Milliseconds of a bucket. */
export function lengthMs(grain: Grain): number {
  return grain * 60_000;
}
