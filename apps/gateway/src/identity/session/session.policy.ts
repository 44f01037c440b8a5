const MINUTE_MS = 60_000;

/** How long sessions last. Source: docs/api-behaviour.md#application. */
export const sessionLimits = {
  /** Without a request. */
  idleMs: 30 * MINUTE_MS,
  /** From the moment that the password was given, whatever happens. */
  absoluteMs: 12 * 60 * MINUTE_MS,
  /** The last use is written at most this often: a session may end so much before it was idle for all of `idleMs`. */
  touchMs: MINUTE_MS,
  /** Of one person, in all organizations: one more ends the oldest. Far more than a person has browsers. */
  ofPersonMax: 100,
} as const;

/** The moments that decide about sessions at `nowMs`. */
export function sessionBounds(nowMs: number): {
  readonly now: Date;
  readonly seenAfter: Date;
  readonly signedInAfter: Date;
  readonly touchBefore: Date;
} {
  return {
    now: new Date(nowMs),
    seenAfter: new Date(nowMs - sessionLimits.idleMs),
    signedInAfter: new Date(nowMs - sessionLimits.absoluteMs),
    touchBefore: new Date(nowMs - sessionLimits.touchMs),
  };
}
