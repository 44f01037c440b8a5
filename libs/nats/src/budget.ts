import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';

/** Header with the milliseconds that the caller will wait; relative, because clocks differ. */
export const DEADLINE_HEADER = 'Switchboard-Deadline-Ms';

/** For a caller that names no deadline. */
const UNNAMED_MS = 10_000;
/** Kept back by a server, of the caller's time: a report that comes too late is none. */
const WAY_BACK = { share: 0.1, maxMs: 250 };

const processClock = { monotonic: () => performance.now() };

/**
 * The time that a request has, on this process's monotonic clock. ADR 0032 says what its owner repeats.
 *
 * The owner of the budget repeats the request; all that works for it ends with the budget and reports. Work that must outlive the
 * request is begun without it, and a loop of the background owns it.
 */
export class Budget {
  private readonly endsAtMs: number;
  private controller: AbortController | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  /** @param clock injected by tests */
  constructor(
    durationMs: number,
    private readonly clock: { monotonic(): number } = processClock,
  ) {
    this.endsAtMs = clock.monotonic() + durationMs;
  }

  /**
   * What a server has of its caller's time.
   *
   * @param header of `DEADLINE_HEADER`
   * @param ageMs for how long the request may have waited to be read
   */
  static received(header: string | undefined, ageMs: number): Budget {
    const named = header ? Number(header) : UNNAMED_MS;
    const waitedForMs = Number.isFinite(named) ? named : UNNAMED_MS;
    return new Budget(waitedForMs - Math.min(waitedForMs * WAY_BACK.share, WAY_BACK.maxMs) - ageMs);
  }

  /** Milliseconds; 0 or less when it is spent. */
  get leftMs(): number {
    return this.endsAtMs - this.clock.monotonic();
  }

  /** Aborts with SERVICE_UNAVAILABLE when the budget is spent; what has not begun by then must not begin. */
  get signal(): AbortSignal {
    // Not AbortSignal.timeout: that one fires for every request long after its answer, with a stack each time.
    if (!this.controller) {
      const controller = new AbortController();
      this.controller = controller;
      const { leftMs } = this;
      if (leftMs <= 0) controller.abort(spent());
      else if (!this.isClosed) this.timer = setTimeout(() => controller.abort(spent()), leftMs);
    }
    return this.controller.signal;
  }

  /** The request is answered: the signal does not abort any more. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }
}

/** The refusal of work whose budget is spent. */
export function spent(): AppError {
  return new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1 });
}
