import { PruneWorker, type PruneSpec } from '@switchboard/platform';
import { GUESSES_KEPT_MS } from '../login-throttle/login-throttle.policy.js';
import { sessionLimits } from '../session/session.policy.js';
import { pruneGuesses, pruneInvites, pruneSessions } from './prune-sessions.repository.js';

const pace = { sliceMax: 500, idleMs: 600_000 };

/** Sessions that are past their absolute end. */
export const oldSessions: PruneSpec = {
  ...pace,
  rows: 'sessions',
  statement: pruneSessions,
  values: (nowMs) => [new Date(nowMs - sessionLimits.absoluteMs)],
};
/** Invitations that have expired. */
export const oldInvites: PruneSpec = {
  ...pace,
  rows: 'invites',
  statement: pruneInvites,
  values: (nowMs) => [new Date(nowMs)],
};
/** Guesses of passwords that no longer count. */
export const oldGuesses: PruneSpec = {
  ...pace,
  rows: 'password-guesses',
  statement: pruneGuesses,
  values: (nowMs) => [new Date(nowMs - GUESSES_KEPT_MS)],
};

/** Delete sessions, invitations and guesses whose time is over, every ten minutes. */
export const identityPruners = [oldSessions, oldInvites, oldGuesses].map((spec) => PruneWorker.provide(spec));
