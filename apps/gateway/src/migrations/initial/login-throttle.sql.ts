/**
 * Failed logins, counted by account and by network address.
 *
 * Unlogged: after a crash of the database every count starts anew, which allows no more than the first few attempts again.
 */
export const loginThrottle = `
  CREATE UNLOGGED TABLE login_throttle (
    -- SHA-256 of an account's address or of a network address: neither is stored in clear.
    subject bytea PRIMARY KEY,
    attempts integer NOT NULL,
    last_attempt_at timestamptz NOT NULL,
    next_attempt_at timestamptz NOT NULL
  ) WITH (fillfactor = 50);
  CREATE INDEX login_throttle_age ON login_throttle (last_attempt_at);
`;

/** Takes `loginThrottle` back. */
export const loginThrottleReversal = 'DROP TABLE login_throttle';
