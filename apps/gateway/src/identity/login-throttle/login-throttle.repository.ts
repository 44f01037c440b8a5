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
  `INSERT INTO password_guess AS g (subject, guesses, last_at, next_at) VALUES ($1, 1, $2, '-infinity')
   ON CONFLICT (subject) DO UPDATE SET
     guesses = CASE WHEN g.last_at < $3 THEN 1 ELSE g.guesses + 1 END,
     last_at = greatest(g.last_at, $2),
     next_at = CASE WHEN g.last_at < $3 OR g.guesses + 1 < $4::integer THEN '-infinity'::timestamptz
       ELSE greatest(g.last_at, $2) + make_interval(secs => least($6::float8, $5::float8 * power(2, least(g.guesses + 1 - $4, 30)))) END
   WHERE g.next_at <= $2
   RETURNING guesses`,
);

/** Now, where nobody has to wait any more: the driver has no Date for -infinity. $1 subject, $2 now. */
export const findNextGuess = statement<{ readonly nextAt: Date }>(
  'gateway.find-next-guess',
  'SELECT greatest(next_at, $2) AS "nextAt" FROM password_guess WHERE subject = $1',
);

/** $1 subject. */
export const forgetGuesses = statement('gateway.forget-guesses', 'DELETE FROM password_guess WHERE subject = $1');

/** Gives back one guess, which was right. $1 subject, $2 now. */
export const giveBackGuess = statement(
  'gateway.give-back-guess',
  `UPDATE password_guess SET guesses = greatest(0, guesses - 1), next_at = least(next_at, $2) WHERE subject = $1`,
);
