/** What waits for a turn of a tenant. */
interface TenantQueue {
  running: number;
  /** In the order in which they came; each begins one. */
  readonly waiting: Set<() => void>;
}

/**
 * Bounds how many pieces of work of one tenant run at once: while a row of it is locked, they wait for each other here, and
 * not on the connections that all tenants share.
 */
export class TenantTurns {
  private readonly tenants = new Map<string, TenantQueue>();

  /** @param waitMaxMs how long work waits for its turn */
  constructor(
    private readonly eachMax: number,
    private readonly waitMaxMs: number,
  ) {}

  /** @throws as the work; Error as for a full pool (`isUnavailable`) when its turn does not come in time */
  async run<Result>(tenant: string, work: () => Promise<Result>): Promise<Result> {
    const own = this.tenants.get(tenant) ?? { running: 0, waiting: new Set() };
    this.tenants.set(tenant, own);
    if (own.running < this.eachMax) own.running++;
    else await this.wait(own);
    try {
      return await work();
    } finally {
      const [next] = own.waiting;
      if (next) {
        own.waiting.delete(next);
        next();
      } else if (--own.running === 0) this.tenants.delete(tenant);
    }
  }

  private async wait(own: TenantQueue): Promise<void> {
    const turn = Promise.withResolvers<void>();
    own.waiting.add(turn.resolve);
    const timer = setTimeout(() => {
      own.waiting.delete(turn.resolve);
      turn.reject(new Error('timeout exceeded when trying to connect: the tenant has all of its connections in use'));
    }, this.waitMaxMs);
    try {
      await turn.promise;
    } finally {
      clearTimeout(timer);
    }
  }
}
