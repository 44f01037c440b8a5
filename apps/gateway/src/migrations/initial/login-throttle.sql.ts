/**
 * Failed logins, counted by account and by network address.
 *
 * Unlogged: after a crash of the database every count starts anew, which allows no more than the first few attempts again.
 */
export const loginThrottle = `
  CREATE UNLOGGED TABLE password_guess (
    -- SHA-256 of an account's address or of a network address: neither is stored in clear.
    subject bytea PRIMARY KEY,
    guesses integer NOT NULL,
    last_at timestamptz NOT NULL,
    next_at timestamptz NOT NULL
  ) WITH (fillfactor = 50);
  CREATE INDEX password_guess_age ON password_guess (last_at);
`;

/** Takes `loginThrottle` back. */
export const loginThrottleReversal = 'DROP TABLE password_guess';
