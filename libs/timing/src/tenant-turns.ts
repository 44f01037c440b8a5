/** How much work runs at once. */
export interface TurnLimits {
  /** Of one tenant. */
  readonly eachMax: number;
  /** Of all together; no bound by default. */
  readonly allMax?: number;
  /** How long work waits for its turn, and what it is refused with then; by default as long as it takes. */
  readonly wait?: { readonly maxMs: number; readonly late: () => Error };
}

/** The work of a tenant that has any. */
interface TenantQueue {
  running: number;
  /** In the order in which they came; each begins one. */
  readonly waiting: Set<() => void>;
}

/**
 * Bounds how many pieces of work run at once, of one tenant and of all: what comes later waits in its tenant's order, and of the tenants
 * that wait for a place of all the one that has begun nothing for longest is next.
 */
export class TenantTurns {
  /** The tenants that began something last come last. */
  private readonly tenants = new Map<string, TenantQueue>();
  private readonly allMax: number;
  private running = 0;

  constructor(private readonly limits: TurnLimits) {
    this.allMax = limits.allMax ?? Infinity;
  }

  /** @throws as the work; what `limits.wait` makes when its turn does not come in time */
  async run<Result>(tenant: string, work: () => Promise<Result>): Promise<Result> {
    const own = this.tenants.get(tenant) ?? { running: 0, waiting: new Set() };
    this.tenants.set(tenant, own);
    if (this.mayBegin(own)) this.begin(tenant, own);
    else await this.turn(tenant, own);
    try {
      return await work();
    } finally {
      own.running--;
      this.running--;
      this.next(tenant, own);
    }
  }

  private mayBegin(own: TenantQueue): boolean {
    return own.running < this.limits.eachMax && this.running < this.allMax;
  }

  private begin(tenant: string, own: TenantQueue): void {
    own.running++;
    this.running++;
    this.tenants.delete(tenant);
    this.tenants.set(tenant, own);
  }

  private async turn(tenant: string, own: TenantQueue): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    own.waiting.add(resolve);
    const { wait } = this.limits;
    const giveUp = (late: () => Error): void => {
      own.waiting.delete(resolve);
      this.forget(tenant, own);
      reject(late());
    };
    const timer = wait && setTimeout(giveUp, wait.maxMs, wait.late);
    await promise.finally(() => clearTimeout(timer));
  }

  /** What waits and may begin; its place is taken before it goes on. */
  private next(tenant: string, own: TenantQueue): void {
    this.forget(tenant, own);
    const candidates = this.allMax === Infinity ? [[tenant, own] as const] : this.tenants;
    for (const [name, queue] of candidates) {
      const [begin] = queue.waiting;
      if (!begin || !this.mayBegin(queue)) continue;
      queue.waiting.delete(begin);
      this.begin(name, queue);
      begin();
      return;
    }
  }

  private forget(tenant: string, own: TenantQueue): void {
    if (own.running + own.waiting.size === 0) this.tenants.delete(tenant);
  }
}
