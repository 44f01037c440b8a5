/** So much of a job's rate lies in its lane, ahead of its pace: a look that comes late leaves no gap. */
const WINDOW_SECONDS = 3;
/** A look comes so long before the lane would be empty. */
const AHEAD_SECONDS = 2;
/** Looks at a fast lane are at least so far apart. */
const LOOK_MS_MIN = 100;
/** Looks at a lane that stands still are at most so far apart. */
const LOOK_MS_MAX = 5_000;
/** However fast: what lies in the lane is written there, and a cancellation has to take it out again. */
const WINDOW_MAX = 3_000;

/** How far a lane is, as it says itself. */
export interface LaneLoad {
  /** Recipients that lie in it. */
  readonly waiting: number;
  /** Attempts a second that it may begin. */
  readonly perSecond: number;
}

/**
 * How many recipients to hand over now: what is missing of the window, which is at least one recipient.
 *
 * For a slow job that is one recipient at a time, shortly before its turn, so that its message is as old as its attempt.
 */
export function feedRoom({ waiting, perSecond }: LaneLoad): number {
  const window = Math.min(Math.max(Math.ceil(perSecond * WINDOW_SECONDS), 1), WINDOW_MAX);
  return Math.max(window - waiting, 0);
}

/** Milliseconds until the lane is to be looked at again. @param wasFed false when nothing was handed over */
export function nextLookMs({ waiting, perSecond }: LaneLoad, wasFed: boolean): number {
  if (perSecond <= 0) return LOOK_MS_MAX;
  const ms = (waiting / perSecond - AHEAD_SECONDS) * 1_000;
  // What lies there longer than its pace explains is being held up: it is looked at now and then.
  return Math.max(wasFed ? ms : Math.min(ms, LOOK_MS_MAX), wasFed ? LOOK_MS_MIN : LOOK_MS_MIN * 5);
}
