/** Lengths of buckets, in minutes. */
export type Grain = 15 | 60 | 1440;

/** All of them, longest first. */
export const GRAINS: readonly Grain[] = [1440, 60, 15];

/** A period that buckets of one length fill. */
export interface Segment {
  readonly grain: Grain;
  readonly from: Date;
  readonly to: Date;
}

/** What a bucket is to a point: added to it (1), or taken from it (-1). */
export interface PointUse {
  /** From 0. */
  readonly point: number;
  readonly by: 1 | -1;
}

/** Which buckets points are composed of. */
export interface Composition {
  /** All of the buckets, each once. */
  readonly segments: readonly Segment[];
  readonly usesOf: (grain: Grain, bucketMs: number) => readonly PointUse[];
}

/**
 * Composes each point of few buckets: whole ones in it, and what differs at its edges, which is added or taken away. A day of
 * Europe/Berlin is the UTC day without its last hours, and with those of the day before: 5 buckets in place of 24.
 *
 * Exact, since counts are sums and the buckets of a length agree with those of another in every snapshot.
 *
 * @param bounds multiples of 15 minutes, ascending
 */
export function composed(bounds: readonly Date[]): Composition {
  const uses = new Map<Grain, Map<number, PointUse[]>>(GRAINS.map((grain) => [grain, new Map()]));
  for (const [point, end] of bounds.slice(1).entries()) {
    for (const { grain, atMs, by } of cover(bounds[point]?.getTime() ?? NaN, end.getTime(), 1, GRAINS)) {
      const ofGrain = uses.get(grain);
      const known = ofGrain?.get(atMs);
      if (known) known.push({ point, by });
      else ofGrain?.set(atMs, [{ point, by }]);
    }
  }
  return {
    segments: [...uses].flatMap(([grain, buckets]) => segmentsOf(grain, [...buckets.keys()])),
    usesOf: (grain, bucketMs) => uses.get(grain)?.get(bucketMs) ?? [],
  };
}

/** Milliseconds of a bucket. */
export function lengthMs(grain: Grain): number {
  return grain * 60_000;
}

interface SignedBucket {
  readonly grain: Grain;
  readonly atMs: number;
  readonly by: 1 | -1;
}

/** The buckets between two times, from the nearest bounds of theirs; the rest of each edge by shorter ones. */
function cover(fromMs: number, toMs: number, by: 1 | -1, [grain, ...shorter]: readonly Grain[]): SignedBucket[] {
  if (grain === undefined || fromMs >= toMs) return [];
  const length = lengthMs(grain);
  const [firstMs, lastMs] = [Math.round(fromMs / length) * length, Math.round(toMs / length) * length];
  const [next] = shorter;
  if (next !== undefined) {
    // A short period has fewer shorter buckets than are to be taken from a long one. An edge is shared with a neighbour.
    const edges = Math.abs(fromMs - firstMs) + Math.abs(toMs - lastMs);
    const buckets = (lastMs - firstMs) / length + edges / 2 / lengthMs(next);
    if (lastMs <= firstMs || buckets >= (toMs - fromMs) / lengthMs(next)) return cover(fromMs, toMs, by, shorter);
  }
  const whole = Array.from({ length: (lastMs - firstMs) / length }, (_none, n): SignedBucket => {
    return { grain, atMs: firstMs + n * length, by };
  });
  return [...whole, ...edge(fromMs, firstMs, by, shorter), ...edge(lastMs, toMs, by, shorter)];
}

/** What lies between two times; taken away where they are in the other order. */
function edge(fromMs: number, toMs: number, by: 1 | -1, grains: readonly Grain[]): SignedBucket[] {
  return fromMs <= toMs ? cover(fromMs, toMs, by, grains) : cover(toMs, fromMs, by === 1 ? -1 : 1, grains);
}

/** Buckets that follow one another are one segment. */
function segmentsOf(grain: Grain, bucketsMs: number[]): Segment[] {
  const segments: { fromMs: number; toMs: number }[] = [];
  for (const fromMs of bucketsMs.sort((a, b) => a - b)) {
    const toMs = fromMs + lengthMs(grain);
    const last = segments.at(-1);
    if (last?.toMs === fromMs) last.toMs = toMs;
    else segments.push({ fromMs, toMs });
  }
  return segments.map(({ fromMs, toMs }) => ({ grain, from: new Date(fromMs), to: new Date(toMs) }));
}
