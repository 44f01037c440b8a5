/** Between looks that begin at no floor. */
const WHOLE_MS = 60_000;
/** A row is due when its transaction began, or later, and is committed so long after that: a session may stand still in between. */
const COMMITTED_MS = 30_000;

/** SQL: where the next look may begin, in epoch milliseconds. @param first the time of the first row that this one found; null: none */
export const floorAt = (first: string): string =>
  `(extract(epoch FROM least(${first}, now() - make_interval(secs => ${COMMITTED_MS / 1_000}))) * 1000)::float8`;

/** SQL: of a row that is due above a floor in epoch milliseconds, which may be minus infinity. */
export const isAbove = (floor: string, dueAt: string): string => `${dueAt} >= to_timestamp(${floor}::float8 / 1000)`;

/**
 * Where a process's looks for what is due begin, by the database's clock: no row is due before it. Behind an old snapshot an index keeps
 * entries of what was due and is done, which such a look passes by. It begins at no floor once a minute, so that a row whose
 * transaction took too long, or of a backup that was restored meanwhile, is found.
 */
export class LookFloor {
  private wholeMs = -Infinity;
  private knownMs = -Infinity;

  /** What the last look found, in epoch milliseconds. */
  get ms(): number {
    return this.knownMs;
  }

  /**
   * One whole look that fails is not made again at once: others go on above what is known.
   *
   * @param nowMs monotonic
   * @returns where it begins: minus infinity for a whole look
   */
  begin(nowMs: number): number {
    if (nowMs - this.wholeMs < WHOLE_MS) return this.knownMs;
    this.wholeMs = nowMs;
    return -Infinity;
  }

  /** Takes what a look found; of looks at the same time, not one that began above what another has found. @param fromMs of `begin` */
  move(ms: number, fromMs: number): void {
    if (fromMs <= this.knownMs) this.knownMs = ms;
  }
}
