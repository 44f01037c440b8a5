import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import pLimit, { type LimitFunction } from 'p-limit';

/** Runs few pieces of work at once, in the order in which they came, with a bound on those that wait. */
export class Semaphore {
  private readonly limit: LimitFunction;
  private readonly acceptedMax: number;

  /**
   * @param runningMax pieces of work that run at once
   * @param waitingMax pieces of work that wait; one more is refused
   */
  constructor(runningMax: number, waitingMax: number) {
    this.limit = pLimit(runningMax);
    this.acceptedMax = runningMax + waitingMax;
  }

  /** What the work returns or throws. @throws AppError SERVICE_UNAVAILABLE when too many wait already */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    // Together: the library counts a piece of work as waiting until the next microtask, even where a place is free.
    if (this.limit.activeCount + this.limit.pendingCount >= this.acceptedMax) {
      throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1 });
    }
    return this.limit(work);
  }
}
