import { pruneSql, statement, type PruneStatement } from '@switchboard/postgres';

/** Sessions past their absolute end; idle ones are refused, and deleted at that end as well. $2 signed in up to then. */
export const pruneSessions: PruneStatement = statement(
  'gateway.prune-session',
  pruneSql({ table: 'session', key: ['id'], age: 'signed_in_at', upTo: '$2' }),
);
/** Invitations that have expired. $2 now. */
export const pruneInvites: PruneStatement = statement(
  'gateway.prune-invite',
  pruneSql({ table: 'invite', key: ['id'], age: 'expires_at', upTo: '$2' }),
);
/** Login attempts that no longer count. $2 last made up to then. */
export const pruneAttempts: PruneStatement = statement(
  'gateway.prune-login-throttle',
  pruneSql({ table: 'login_throttle', key: ['subject'], age: 'last_attempt_at', upTo: '$2' }),
);
