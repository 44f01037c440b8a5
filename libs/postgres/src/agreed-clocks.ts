import { statement } from './statement.js';
import type { Queryable } from './transaction.js';

const timeSql = statement<{ ms: number }>(
  'clock.database-time',
  'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
);

/** Two clocks, of two machines, may differ so far: by more than that, one of them is wrong, and what is removed is gone for good. */
export const CLOCKS_DIFFER_MAX_MS = 24 * 60 * 60 * 1_000;

/** The clocks of this process and of the database differ by more than a day. */
export class ClocksDifferError extends Error {
  override readonly name = 'ClocksDifferError';

  constructor(readonly seconds: number) {
    super(`the clocks of this process and of the database differ by ${seconds} s: nothing is removed by its age`);
  }
}

/**
 * Asked before anything is removed by its age: the database's `now()` alone would take what is young for old on a host whose clock has
 * stepped ahead.
 *
 * @param now of this process, in milliseconds since the Unix epoch
 * @throws ClocksDifferError
 */
export async function requireAgreedClocks(through: Queryable, now: () => number = Date.now): Promise<void> {
  const [{ ms } = { ms: Number.NaN }] = await through.query(timeSql, []);
  const apartMs = Math.abs(ms - now());
  if (!(apartMs <= CLOCKS_DIFFER_MAX_MS)) throw new ClocksDifferError(Math.round(apartMs / 1_000));
}
