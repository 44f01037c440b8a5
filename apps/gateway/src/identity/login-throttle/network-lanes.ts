import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import pLimit, { type LimitFunction } from 'p-limit';

/** Attempts of one network that wait for the one that is checked; about a second of work. */
const WAITING_MAX = 32;

/**
 * One attempt at a time for each network that has failed too often: its failures come as slowly as one after the other are
 * checked, and a right password among them is taken. Of a process; bounded in memory by the attempts that wait.
 */
export class NetworkLanes {
  private readonly lanes = new Map<string, LimitFunction>();

  /** What the work returns or throws. @throws AppError RATE_LIMITED when too many of the network wait already */
  async run<Result>(network: Buffer, work: () => Promise<Result>): Promise<Result> {
    const key = network.toString('base64');
    const lane = this.lanes.get(key) ?? pLimit(1);
    this.lanes.set(key, lane);
    if (lane.activeCount + lane.pendingCount > WAITING_MAX) {
      throw new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds: 1 });
    }
    try {
      return await lane(work);
    } finally {
      if (lane.activeCount + lane.pendingCount === 0) this.lanes.delete(key);
    }
  }
}
