import { Injectable } from '@nestjs/common';
import type { RpcCall } from '@switchboard/nats';
import { unlessAborted } from '@switchboard/timing';

/**
 * Has the reports of an organization made one after another. The largest take a second of the event loop and some 100 MB each: a dozen
 * of them at once ended all behind their callers' time, and those of every other organization with them.
 */
@Injectable()
export class ReportTurns {
  /** When the last report of the organization that was asked for has ended. */
  private readonly ends = new Map<string, Promise<void>>();

  /** @throws as the work; SERVICE_UNAVAILABLE when the caller's time is over before its end */
  async run<Result>({ principal, budget }: RpcCall<unknown>, work: () => Promise<Result>): Promise<Result> {
    const { organizationId } = principal;
    const { signal } = budget;
    const before = this.ends.get(organizationId);
    const begin = async (): Promise<Result> => {
      signal.throwIfAborted();
      return work();
    };
    const made = before ? before.then(begin) : begin();
    const end = made.then(nothing, nothing).then(() => {
      if (this.ends.get(organizationId) === end) this.ends.delete(organizationId);
    });
    this.ends.set(organizationId, end);
    return unlessAborted(made, signal);
  }
}

function nothing(): void {}
