import { PruneWorker, type PruneSpec } from '@switchboard/platform';
import { ATTEMPTS_KEPT_MS } from '../login-throttle/login-throttle.policy.js';
import { sessionLimits } from '../session/session.policy.js';
import { pruneAttempts, pruneInvites, pruneSessions } from './prune-sessions.repository.js';

const pace = { sliceMax: 500, idleMs: 600_000 };

/** Sessions that are past their absolute end. */
export const oldSessions: PruneSpec = {
  ...pace,
  rows: 'sessions',
  statement: pruneSessions,
  values: (nowMs) => [new Date(nowMs - sessionLimits.absoluteMs)],
};
/** Invitations that have expired. */
const oldInvites: PruneSpec = {
  ...pace,
  rows: 'invites',
  statement: pruneInvites,
  values: (nowMs) => [new Date(nowMs)],
  // They are open for a week, and a clock that is ahead would end them for all processes.
  needsAgreedClocks: true,
};
/** Login attempts that no longer count. */
const oldAttempts: PruneSpec = {
  ...pace,
  rows: 'login-attempts',
  statement: pruneAttempts,
  values: (nowMs) => [new Date(nowMs - ATTEMPTS_KEPT_MS)],
};

/** Delete sessions, invitations and login attempts whose time is over, every ten minutes. */
export const identityPruners = [oldSessions, oldInvites, oldAttempts].map((spec) => PruneWorker.provide(spec));
