import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';

/** Lets few pieces of work run at once, in the order they came, and some wait; one more is refused. */
export class Turns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnceMax: number,
    private readonly waitingMax: number,
  ) {}

  /** What the work returns or throws. @throws AppError SERVICE_UNAVAILABLE when too many wait already */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running < this.atOnceMax) this.running++;
    else await this.turn();
    try {
      return await work();
    } finally {
      // The place is handed on without becoming free, so that nobody slips in before those who wait.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private async turn(): Promise<void> {
    if (this.waiting.length >= this.waitingMax) {
      throw new AppError(gatewayErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1 });
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.push(resolve);
    await promise;
  }
}
