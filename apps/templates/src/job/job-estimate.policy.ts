/** What is known of a job's pace. */
export interface Pace {
  readonly throttlePerHour: number | null;
  /** Attempts a second that its lane may begin now: its throttle, or its share of the channel's rate. */
  readonly lanePerSecond: number | null;
  /** Attempts a second that its lane began lately. */
  readonly begunPerSecond: number | null;
}

const SECONDS_PER_HOUR = 3_600;

/**
 * When the last recipient of a running job leaves QUEUED, if it goes on as now.
 *
 * The slowest of what is known holds: a throttle and a share are promises of no more than that, and what was measured shows
 * what the upstream makes of it.
 *
 * @param queued recipients that are QUEUED
 * @returns null when no pace is known
 */
export function estimateCompletion(pace: Pace, queued: number, now: Date): Date | null {
  const throttle = pace.throttlePerHour === null ? null : pace.throttlePerHour / SECONDS_PER_HOUR;
  const known = [throttle, pace.lanePerSecond, pace.begunPerSecond].filter(
    (perSecond): perSecond is number => perSecond !== null && perSecond > 0,
  );
  if (known.length === 0) return null;
  return new Date(now.getTime() + (queued / Math.min(...known)) * 1_000);
}

/** Where a measurement of the pace began. */
export interface PaceMark {
  readonly at: Date;
  /** Attempts that the lane had begun by then. */
  readonly begun: number;
}

/** A measurement takes at least so many attempts, and so long: fewer say more of chance than of the pace. */
const MARK_ATTEMPTS_MIN = 10;
const MARK_MS_MIN = 2_000;
/** Weight of the newest measurement. */
const NEWEST = 0.5;

/**
 * Measures a lane's pace from one look to a later one.
 *
 * @returns the pace and the mark for the next look; both as they were while there is too little to measure
 */
export function measurePace(
  former: { readonly mark: PaceMark | null; readonly perSecond: number | null },
  begun: number,
  now: Date,
): { readonly mark: PaceMark; readonly perSecond: number | null } {
  const { mark, perSecond } = former;
  if (mark === null) return { mark: { at: now, begun }, perSecond };
  const ms = now.getTime() - mark.at.getTime();
  const attempts = begun - mark.begun;
  if (attempts < MARK_ATTEMPTS_MIN || ms < MARK_MS_MIN) return { mark, perSecond };
  const measured = (attempts * 1_000) / ms;
  const mean = perSecond === null ? measured : perSecond * (1 - NEWEST) + measured * NEWEST;
  return { mark: { at: now, begun }, perSecond: mean };
}
