import type { Knobs } from '../knobs/knobs.entity.js';
import { remember } from './remember.js';

/** Source: the provider's page on throughput, "pair rate limits": one message per 6 s, at most 45 at once. */
const PAIR_PERIOD_MS = 6_000;
const PAIR_BURST = 45;
const WINDOW_MS = 24 * 3_600_000;
const REMEMBERED_MAX = 200_000;

/** What the limits need to know of a request. */
export interface LimitedRequest {
  readonly phoneNumberId: string;
  readonly waId: string;
  readonly type: string;
  readonly nowMs: number;
}

/**
 * The provider's limits, each off unless its knob is on. The pace is kept by GCRA: one number for each sender or pair, the
 * time at which it would be idle. Memory is bounded: beyond 200,000 pairs the oldest are forgotten.
 */
export class Limits {
  readonly #idleAtMs = new Map<string, number>();
  readonly #lastInboundMs = new Map<string, number>();

  /** The code that a limit refuses with, or undefined; what is not refused counts. */
  refusalOf(request: LimitedRequest, limits: Knobs['limits']): number | undefined {
    const { phoneNumberId, waId, nowMs } = request;
    const pair = `${phoneNumberId}:${waId}`;
    if (limits.window24h && request.type !== 'template') {
      if (nowMs - (this.#lastInboundMs.get(pair) ?? -Infinity) > WINDOW_MS) return 131047;
    }
    if (limits.pairRate && !this.#passes(pair, PAIR_PERIOD_MS, PAIR_BURST, nowMs)) return 131056;
    const perSecond = limits.messagesPerSecond;
    if (perSecond !== null && !this.#passes(phoneNumberId, 1000 / perSecond, Math.max(perSecond, 1), nowMs))
      return 130429;
    return undefined;
  }

  /** Opens the 24-hour window of a recipient. */
  inboundFrom(phoneNumberId: string, waId: string, nowMs: number): void {
    remember(this.#lastInboundMs, `${phoneNumberId}:${waId}`, nowMs, REMEMBERED_MAX);
  }

  /** Forgets all pace, as if nothing had been sent; open windows stay. */
  reset(): void {
    this.#idleAtMs.clear();
  }

  #passes(key: string, periodMs: number, burst: number, nowMs: number): boolean {
    const idleAtMs = Math.max(this.#idleAtMs.get(key) ?? 0, nowMs);
    // Half a millisecond of slack: sums of 1000/n must not refuse the last message of a burst.
    if (idleAtMs + periodMs - nowMs > periodMs * burst + 0.5) return false;
    remember(this.#idleAtMs, key, idleAtMs + periodMs, REMEMBERED_MAX);
    return true;
  }
}
