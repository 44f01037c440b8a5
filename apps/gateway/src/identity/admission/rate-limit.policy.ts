import type { RateState } from '../admission.contract.js';

/** The rate of one organization after a batch, as the database answers it; times in microseconds from the batch's clock. */
export interface TakenRate {
  /** How far the theoretical arrival time lies ahead after the batch. */
  readonly ahead: number;
  /** Between two requests at the sustained rate. */
  readonly interval: number;
  readonly burst: number;
  /** How many of the batch's requests passed: the first ones, in their order. */
  readonly granted: number;
}

/** One request's share of a batch. */
export interface RateAnswer {
  readonly isGranted: boolean;
  readonly rate: RateState;
  /** Whole seconds until one request would pass, at least 1. */
  readonly retryAfterSeconds: number;
}

const SECOND_MICROS = 1_000_000;

/**
 * Answers the requests of one organization in the order in which they were asked, as if each had come alone.
 *
 * GCRA: the theoretical arrival time moves on by one interval per granted request; a request passes while it lies at most
 * `burst - 1` intervals ahead. Source: ITU-T I.371, "Generic cell rate algorithm".
 */
export class RateAnswers {
  private answered = 0;

  constructor(private readonly taken: TakenRate) {}

  next(cost: 0 | 1): RateAnswer {
    const { ahead, interval, burst, granted } = this.taken;
    const isGranted = cost === 0 || this.answered < granted;
    if (cost === 1 && isGranted) this.answered++;
    // The batch stored the time after its last granted request; this request came some intervals before that.
    const aheadNow = Math.max(0, ahead - (granted - this.answered) * interval);
    const capacity = burst * interval;
    const waitMicros = aheadNow - (capacity - interval);
    return {
      isGranted,
      rate: {
        limit: burst,
        remaining: Math.max(0, Math.floor((capacity - aheadNow) / interval)),
        resetSeconds: Math.ceil(aheadNow / SECOND_MICROS),
      },
      retryAfterSeconds: Math.max(1, Math.ceil(waitMicros / SECOND_MICROS)),
    };
  }
}
