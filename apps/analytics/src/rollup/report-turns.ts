import { Injectable } from '@nestjs/common';
import type { RpcCall } from '@switchboard/nats';
import { TenantTurns, unlessAborted } from '@switchboard/timing';

/**
 * Has the reports of an organization made one after another. The largest take a second of the event loop and some 100 MB each: a dozen
 * of them at once ended all behind their callers' time, and those of every other organization with them.
 */
@Injectable()
export class ReportTurns {
  private readonly turns = new TenantTurns({ eachMax: 1 });

  /** @throws as the work; SERVICE_UNAVAILABLE when the caller's time is over before its end */
  async run<Result>({ principal, budget }: RpcCall<unknown>, work: () => Promise<Result>): Promise<Result> {
    const { signal } = budget;
    const made = this.turns.run(principal.organizationId, async () => {
      signal.throwIfAborted();
      return work();
    });
    return unlessAborted(made, signal);
  }
}
