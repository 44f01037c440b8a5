import { Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';

/** Under way in this process at once. */
const AT_ONCE_MAX = 2;
/** For a turn. */
const WAIT_MS = 5_000;

interface Waiting {
  readonly organizationId: string;
  readonly begin: () => void;
}

/**
 * Bounds the reports that may be of tens of megabytes: such a one takes some 200 MB while it is read and written, and a few organizations at
 * once would end the process, and with it the requests of all. One of an organization is under way at a time.
 */
@Injectable()
export class LargeReports {
  private readonly underWay = new Set<string>();
  private readonly waiting = new Set<Waiting>();

  /** @throws SERVICE_UNAVAILABLE when there was no turn within 5 s; as the work */
  async run<Result>(organizationId: string, work: () => Promise<Result>): Promise<Result> {
    if (this.isFree(organizationId)) this.underWay.add(organizationId);
    else await this.turn(organizationId);
    try {
      return await work();
    } finally {
      this.underWay.delete(organizationId);
      this.next();
    }
  }

  private isFree(organizationId: string): boolean {
    return this.underWay.size < AT_ONCE_MAX && !this.underWay.has(organizationId);
  }

  private async turn(organizationId: string): Promise<void> {
    const { promise, resolve: begin, reject } = Promise.withResolvers<void>();
    const one = { organizationId, begin };
    this.waiting.add(one);
    const timer = setTimeout(() => {
      this.waiting.delete(one);
      reject(new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1 }));
    }, WAIT_MS);
    await promise.finally(() => clearTimeout(timer));
  }

  /** The first that waits and may begin; its place is taken before it goes on. */
  private next(): void {
    const one = [...this.waiting].find(({ organizationId }) => this.isFree(organizationId));
    if (!one) return;
    this.waiting.delete(one);
    this.underWay.add(one.organizationId);
    one.begin();
  }
}
