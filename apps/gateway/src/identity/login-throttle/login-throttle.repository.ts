import { statement } from '@switchboard/postgres';

/**
 * Takes one guess, unless the subject has to wait: then nothing is changed and nothing is returned.
 *
 * $1 subject, $2 now, $3 guesses before this moment's last one are forgotten, $4 free guesses, $5 first wait and $6 longest
 * wait in seconds. A guess is counted before it is checked: of many at once no more pass than one after the other. Who
 * meets a row that is being changed waits for it and judges by what it has become. A free guess leaves no moment to wait
 * for: of two at once, the one whose clock is behind would wait for the other. Waits are
 * counted by the clock that is furthest ahead.
 */
export const takeGuess = statement(
  'gateway.take-guess',
  `INSERT INTO login_throttle AS t (subject, attempts, last_attempt_at, next_attempt_at) VALUES ($1, 1, $2, '-infinity')
   ON CONFLICT (subject) DO UPDATE SET
     attempts = CASE WHEN t.last_attempt_at < $3 THEN 1 ELSE t.attempts + 1 END,
     last_attempt_at = greatest(t.last_attempt_at, $2),
     next_attempt_at = CASE WHEN t.last_attempt_at < $3 OR t.attempts + 1 < $4::integer THEN '-infinity'::timestamptz
       ELSE greatest(t.last_attempt_at, $2) + make_interval(secs => least($6::float8, $5::float8 * power(2, least(t.attempts + 1 - $4, 30)))) END
   WHERE t.next_attempt_at <= $2
   RETURNING attempts`,
);

/** Now, where nobody has to wait any more: the driver has no Date for -infinity. $1 subject, $2 now. */
export const findNextGuess = statement<{ readonly nextAt: Date }>(
  'gateway.find-next-guess',
  'SELECT greatest(next_attempt_at, $2) AS "nextAt" FROM login_throttle WHERE subject = $1',
);

/** $1 subject. */
export const forgetGuesses = statement('gateway.forget-guesses', 'DELETE FROM login_throttle WHERE subject = $1');

/** Gives back one guess, which was right. $1 subject, $2 now. */
export const giveBackGuess = statement(
  'gateway.give-back-guess',
  `UPDATE login_throttle SET attempts = greatest(0, attempts - 1), next_attempt_at = least(next_attempt_at, $2) WHERE subject = $1`,
);
