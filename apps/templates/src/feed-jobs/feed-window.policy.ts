/** So much of a job's rate lies in its lane, ahead of its pace: a look that comes late leaves no gap. */
const WINDOW_SECONDS = 3;
/**
 * What a look hands over: a part of a second's rate, or so many of a slow job. A whole second of it at once would hold up
 * the interactive sends next to it, with all that follows from new contacts.
 */
const STEP_SECONDS_MIN = 0.25;
const STEP_SECONDS_MAX = 1;
const STEP_RECIPIENTS = 20;
/** A window is filled so many times as fast as it empties: filled at once, it would hold up those sends as well. */
const FILL_FACTOR = 1.5;
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
 * How many recipients to hand over now: what is missing of the window, which is at least one recipient, and a step at most.
 *
 * For a slow job that is one recipient at a time, shortly before its turn, so that its message is as old as its attempt.
 */
export function feedRoom({ waiting, perSecond }: LaneLoad): number {
  const window = Math.min(Math.max(Math.ceil(perSecond * WINDOW_SECONDS), 1), WINDOW_MAX);
  const step = Math.max(Math.ceil(perSecond * stepSeconds(perSecond)), 1);
  return Math.max(Math.min(window - waiting, step), 0);
}

/** Milliseconds until the lane is to be looked at again. @param wasFed false when nothing was handed over */
export function nextLookMs({ waiting, perSecond }: LaneLoad, wasFed: boolean): number {
  if (perSecond <= 0) return LOOK_MS_MAX;
  const ms = (waiting / perSecond - (WINDOW_SECONDS - stepSeconds(perSecond))) * 1_000;
  const fillMs = Math.max((stepSeconds(perSecond) * 1_000) / FILL_FACTOR, LOOK_MS_MIN);
  // What lies there longer than its pace explains is being held up: it is looked at now and then.
  return Math.max(wasFed ? ms : Math.min(ms, LOOK_MS_MAX), wasFed ? fillMs : LOOK_MS_MIN * 5);
}

function stepSeconds(perSecond: number): number {
  return Math.min(Math.max(STEP_RECIPIENTS / perSecond, STEP_SECONDS_MIN), STEP_SECONDS_MAX);
}
