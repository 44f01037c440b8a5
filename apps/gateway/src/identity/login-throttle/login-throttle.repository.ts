import { statement } from '@switchboard/postgres';

/**
 * Counts one attempt, unless the subject has to wait: then it changes nothing and returns nothing.
 *
 * $1 subject, $2 now, $3 attempts whose last one is older are forgotten, $4 free attempts, $5 first wait and $6 longest wait
 * in seconds. An attempt is counted before its password is checked: of many at once no more pass than one after the other.
 * A statement that meets a row under change waits for it and judges by the new row. A free attempt sets no moment to wait
 * for: of two at once, the one whose clock is behind would wait for the other. Waits are counted by the clock that is
 * furthest ahead.
 */
export const countAttempt = statement(
  'gateway.count-login-attempt',
  `INSERT INTO login_throttle AS t (subject, attempts, last_attempt_at, next_attempt_at) VALUES ($1, 1, $2, '-infinity')
   ON CONFLICT (subject) DO UPDATE SET
     attempts = CASE WHEN t.last_attempt_at < $3 THEN 1 ELSE t.attempts + 1 END,
     last_attempt_at = greatest(t.last_attempt_at, $2),
     next_attempt_at = CASE WHEN t.last_attempt_at < $3 OR t.attempts + 1 < $4::integer THEN '-infinity'::timestamptz
       ELSE greatest(t.last_attempt_at, $2) + make_interval(secs => least($6::float8, $5::float8 * power(2, least(t.attempts + 1 - $4, 30)))) END
   WHERE t.next_attempt_at <= $2
   RETURNING attempts`,
);

/** When the next attempt is allowed; now, where no wait is left: the driver has no Date for -infinity. $1 subject, $2 now. */
export const findNextAttempt = statement<{ readonly nextAt: Date }>(
  'gateway.find-next-login-attempt',
  'SELECT greatest(next_attempt_at, $2) AS "nextAt" FROM login_throttle WHERE subject = $1',
);

/** Forgets all attempts of a subject. $1 subject. */
export const forgetAttempts = statement(
  'gateway.forget-login-attempts',
  'DELETE FROM login_throttle WHERE subject = $1',
);

/** Takes one attempt off the count: its password was right. $1 subject, $2 now. */
export const refundAttempt = statement(
  'gateway.refund-login-attempt',
  `UPDATE login_throttle SET attempts = greatest(0, attempts - 1), next_attempt_at = least(next_attempt_at, $2) WHERE subject = $1`,
);
