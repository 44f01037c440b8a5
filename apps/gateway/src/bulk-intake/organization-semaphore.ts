import pLimit, { type LimitFunction } from 'p-limit';

/** Lets so many pieces of work of an organization run at once; what comes later waits, in its order. */
export class OrganizationSemaphore {
  private readonly limits = new Map<string, LimitFunction>();

  constructor(private readonly runningMax: number) {}

  /** What the work returns or throws. */
  async run<Result>(organizationId: string, work: () => Promise<Result>): Promise<Result> {
    const limit = this.limits.get(organizationId) ?? pLimit(this.runningMax);
    this.limits.set(organizationId, limit);
    try {
      return await limit(work);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) this.limits.delete(organizationId);
    }
  }
}
