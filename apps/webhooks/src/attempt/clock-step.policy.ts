/** The clock that a process carries on is behind by as long as its reading took; a statement may take 10 s. */
const LAG_MAX_MS = 15_000;

/**
 * Whether the database's clock has stepped back since it gave a time: it lies further ahead than it was set. Waited for, it would
 * come when the clock has caught up, after hours perhaps.
 *
 * @param waitMaxMs the longest that it can have been set ahead; 0: it was the present
 */
export function isOfClockAhead(atMs: number, nowMs: number, waitMaxMs = 0): boolean {
  return atMs > nowMs + waitMaxMs + LAG_MAX_MS;
}

/** SQL: as `isOfClockAhead`. @param waitMaxS SQL, in seconds */
export const isOfClockAheadSql = (column: string, waitMaxS: string): string =>
  `${column} > now() + make_interval(secs => ${waitMaxS} + ${LAG_MAX_MS / 1_000})`;
