import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import pLimit, { type LimitFunction } from 'p-limit';

/**
 * One attempt at a time for each subject, so that none takes the places of others, and a bound on those that wait. Of a process;
 * bounded in memory by the attempts that wait.
 */
export class SubjectLanes {
  private readonly lanes = new Map<string, LimitFunction>();

  /** @param waitingMax attempts of one subject that wait for the one that is checked; one more is refused */
  constructor(private readonly waitingMax: number) {}

  /** What the work returns or throws. @throws AppError RATE_LIMITED when too many of the subject wait already */
  async run<Result>(subject: Buffer, work: () => Promise<Result>): Promise<Result> {
    const key = subject.toString('base64');
    const lane = this.lanes.get(key) ?? pLimit(1);
    this.lanes.set(key, lane);
    if (lane.activeCount + lane.pendingCount > this.waitingMax) {
      throw new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds: 1 });
    }
    try {
      return await lane(work);
    } finally {
      if (lane.activeCount + lane.pendingCount === 0) this.lanes.delete(key);
    }
  }
}
