import { Inject, Injectable } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { CLOCK, type Clock } from '@switchboard/platform';
import { NetworkAllowance } from './network-allowance.js';

/** Refusals for the form of a request, which cost the work of reading it. */
const COUNTED_STATUSES: ReadonlySet<number> = new Set([400, 413, 415]);
const ALLOWANCE = { burst: 100, intervalMs: 50, waitMaxMs: 0 };

/**
 * Limits by network the requests without a session that are refused for their form: reading one costs more than sending it.
 * A network past its allowance is answered 429 before its body is read.
 */
@Injectable()
export class MalformedRequestLimit {
  private readonly networks = new NetworkAllowance(ALLOWANCE);

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** @throws AppError RATE_LIMITED */
  refusePastAllowance(address: string): void {
    const waitMs = this.networks.waitOf(address, this.clock.monotonic());
    if (waitMs === 0) return;
    throw new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
  }

  /** Counts an answer to a request without a session. */
  note(address: string, status: number): void {
    if (COUNTED_STATUSES.has(status)) this.networks.take(address, this.clock.monotonic());
  }
}
