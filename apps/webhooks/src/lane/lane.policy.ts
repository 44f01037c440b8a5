import type { Random } from '@switchboard/timing';
import { isOfClockAhead } from '../attempt/clock-step.policy.js';

/** How a webhook is delivered to now. Times are milliseconds since 1970 by the database's clock. */
export interface LaneState {
  /** Requests in flight at most, while no probes are sent. */
  readonly windowMax: number;
  /** Set after a failure, until a probe succeeds. */
  readonly probing: Probing | null;
  /** The receiver asked for a pause until then. */
  readonly heldUntilMs: number | null;
  readonly consecutiveFailures: number;
  /** When the last failure that counted was recorded: a failure counts of what began later. */
  readonly countedUntilMs: number | null;
  /** When it was opened anew, if ever: what began before says nothing of the receiver, and takes its place in the window until it ends. */
  readonly openedAtMs: number | null;
}

/** Single requests that find out whether the receiver answers again. */
export interface Probing {
  /** When the failure that began it was recorded: what began before is no probe. */
  readonly sinceMs: number;
  readonly failedProbes: number;
  readonly nextAtMs: number;
}

/** An attempt that has ended. */
export interface EndedAttempt {
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  /**
   * Now, as read under the lane's lock; so was its beginning. What an attempt began behind is decided by these two: its end is of a clock that
   * a process carries on, which may be behind by a pause of the process.
   */
  readonly recordedAtMs: number;
  readonly isSuccess: boolean;
  /** False for what people sent: its failure never counts. */
  readonly counts: boolean;
  /** What the receiver asked for. */
  readonly retryAfterMs: number | null;
  /** The process that made it ended it, because it stopped in order. */
  readonly isStopped?: boolean | undefined;
}

/** Source: docs/api-behaviour.md#webhooks-pacing. */
export const WINDOW_MAX = 64;
/** Source: docs/api-behaviour.md#webhooks-deactivation. */
const CONSECUTIVE_FAILURES_MAX = 10;
const PROBE_PAUSE = { firstMs: 1_000, maxMs: 60_000 };
/** Source: docs/api-behaviour.md#webhooks-attempts. */
const RETRY_AFTER_MAX_MS = 60 * 60 * 1_000;

/** Of a webhook that is new. */
export const newLane: LaneState = {
  windowMax: 1,
  probing: null,
  heldUntilMs: null,
  consecutiveFailures: 0,
  countedUntilMs: null,
  openedAtMs: null,
};

/** Of a webhook that was enabled, or whose URL was changed. */
export function openedLane(openedAtMs: number): LaneState {
  return { ...newLane, openedAtMs };
}

/** Whether the webhook is to be deactivated. */
export function isExhausted({ consecutiveFailures }: LaneState): boolean {
  return consecutiveFailures >= CONSECUTIVE_FAILURES_MAX;
}

/** Whether the receiver has not answered yet, or not lately: it gets one request at a time. */
export function isUnproven({ probing, windowMax }: LaneState): boolean {
  return probing !== null || windowMax === 1;
}

/**
 * The lane after the end of an attempt.
 *
 * A failure counts when its attempt began after the last counted failure was recorded, before which none begins: of the requests that one
 * blip of a busy receiver fails, one counts. A success of what began before the failure resets the count and is no proof that the receiver
 * answers again. What began before the lane was opened anew changes nothing: it may have gone to another URL. Nor does what a stop has
 * ended, of a receiver that answers; of any other it is the failure that it seems to be, or each stop would give a dead one a request more.
 *
 * @param timeScale multiplies the waits
 * @param random spreads the probes of receivers that failed together
 * Source: docs/api-behaviour.md#webhooks-pacing, docs/api-behaviour.md#webhooks-deactivation.
 */
export function laneAfter(lane: LaneState, ended: EndedAttempt, timeScale: number, random?: Random): LaneState {
  if (lane.openedAtMs !== null && ended.beganAtMs < lane.openedAtMs) return lane;
  if (ended.isStopped === true && !isUnproven(lane)) return lane;
  return ended.isSuccess ? afterSuccess(lane, ended) : afterFailure(lane, ended, timeScale, random);
}

/**
 * The lane when the database's clock may have stepped back. A pause, or the next probe, that lies further ahead than any is set is over. What
 * was, was by now: else probes would be taken for none, and no failure would count, until the clock has caught up.
 *
 * @param nowMs by the clock as it is
 * @returns the same lane unless the clock has stepped back
 */
export function laneByClock(lane: LaneState, nowMs: number, timeScale: number): LaneState {
  const { probing, heldUntilMs, countedUntilMs, openedAtMs } = lane;
  // Of most lanes nothing is ahead, and each is looked at several times a turn.
  const latestMs = Math.max(
    probing?.sinceMs ?? 0,
    probing?.nextAtMs ?? 0,
    heldUntilMs ?? 0,
    countedUntilMs ?? 0,
    openedAtMs ?? 0,
  );
  if (!isOfClockAhead(latestMs, nowMs)) return lane;
  const byNow = (atMs: number | null): number | null => (atMs !== null && isOfClockAhead(atMs, nowMs) ? nowMs : atMs);
  const isOver = (untilMs: number | null, waitMaxMs: number): boolean =>
    untilMs !== null && isOfClockAhead(untilMs, nowMs, waitMaxMs * timeScale);
  const next: LaneState = {
    ...lane,
    probing: probing && {
      ...probing,
      sinceMs: byNow(probing.sinceMs) ?? nowMs,
      nextAtMs: isOver(probing.nextAtMs, PROBE_PAUSE.maxMs) ? nowMs : probing.nextAtMs,
    },
    heldUntilMs: isOver(heldUntilMs, RETRY_AFTER_MAX_MS) ? null : heldUntilMs,
    countedUntilMs: byNow(countedUntilMs),
    openedAtMs: byNow(openedAtMs),
  };
  const isSame =
    next.heldUntilMs === heldUntilMs &&
    next.countedUntilMs === countedUntilMs &&
    next.openedAtMs === openedAtMs &&
    next.probing?.sinceMs === probing?.sinceMs &&
    next.probing?.nextAtMs === probing?.nextAtMs;
  return isSame ? lane : next;
}

/** The lane while nothing can be sent on our side: nothing counts. */
export function heldLane(lane: LaneState, untilMs: number): LaneState {
  return { ...lane, heldUntilMs: latest(lane.heldUntilMs, untilMs) };
}

/** Whether an attempt under way is a probe. */
export function isProbe({ probing }: LaneState, beganAtMs: number): boolean {
  return probing !== null && beganAtMs >= probing.sinceMs;
}

function afterSuccess(lane: LaneState, { beganAtMs }: EndedAttempt): LaneState {
  if (lane.probing !== null && !isProbe(lane, beganAtMs)) return { ...lane, consecutiveFailures: 0 };
  const windowMax = Math.min(lane.windowMax * 2, WINDOW_MAX);
  return { ...lane, probing: null, windowMax, consecutiveFailures: 0 };
}

function afterFailure(lane: LaneState, ended: EndedAttempt, timeScale: number, random?: Random): LaneState {
  const { beganAtMs, endedAtMs, recordedAtMs, counts, retryAfterMs } = ended;
  const isCounted = counts && (lane.countedUntilMs === null || beganAtMs >= lane.countedUntilMs);
  const heldUntilMs = retryAfterMs === null ? null : endedAtMs + Math.min(retryAfterMs, RETRY_AFTER_MAX_MS) * timeScale;
  return {
    ...lane,
    windowMax: 1,
    probing: probingAfterFailure(lane, ended, timeScale, random),
    heldUntilMs: latest(lane.heldUntilMs, heldUntilMs),
    consecutiveFailures: lane.consecutiveFailures + (isCounted ? 1 : 0),
    countedUntilMs: isCounted ? latest(lane.countedUntilMs, recordedAtMs) : lane.countedUntilMs,
  };
}

function probingAfterFailure(lane: LaneState, ended: EndedAttempt, timeScale: number, random?: Random): Probing {
  const { beganAtMs, endedAtMs, recordedAtMs } = ended;
  const { probing } = lane;
  if (probing !== null && !isProbe(lane, beganAtMs)) return probing;
  const { sinceMs, failedProbes } = probing
    ? { ...probing, failedProbes: probing.failedProbes + 1 }
    : { sinceMs: recordedAtMs, failedProbes: 0 };
  return { sinceMs, failedProbes, nextAtMs: endedAtMs + probePauseMs(failedProbes, random) * timeScale };
}

/** Never earlier than promised, up to 10 % later: receivers that failed together are not probed together. */
function probePauseMs(failedProbes: number, random: Random = Math.random): number {
  const { firstMs, maxMs } = PROBE_PAUSE;
  return Math.min(firstMs * 2 ** failedProbes * (1 + random() / 10), maxMs);
}

function latest(former: number | null, next: number | null): number | null {
  if (former === null || next === null) return former ?? next;
  return Math.max(former, next);
}
