import type { Clock } from '@switchboard/platform';
import { pause } from '@switchboard/timing';
import type { Spacing } from '../bulk-lane/lane-pace.policy.js';
import type { AttemptLane } from './dispatch.entity.js';

/**
 * How late an attempt of a throttled lane may begin. Whoever takes a lane over keeps this distance from the last slot: so
 * no two begin too close, whichever processes make them.
 */
export const LATE_MAX_MS = 250;
/** How late one without a throttle may begin: it bunches with nothing that was promised. */
const UNTHROTTLED_LATE_MAX_MS = 1_000;
/**
 * Those without a throttle that are due within so long begin together: what they pass through is woken once, and the
 * provider reports them together. A channel's rate is a number a second, which it stays.
 */
const UNTHROTTLED_TOGETHER_MS = 50;
/** Lanes that are remembered before those are looked for that may be forgotten. */
const REMEMBERED = 256;

/** The right of an attempt to begin now. */
export interface LaneTurn {
  /** Monotonic milliseconds. */
  readonly beginByMs: number;
  /** To be called right before its first byte leaves. */
  begin(): void;
  /** To be called when it has ended, begun or not. */
  end(): void;
}

/** The last begins of a lane in this process. */
interface LaneBegins {
  /** Resolves when the turn before has begun, or never will. */
  tail: Promise<void>;
  /** Monotonic milliseconds, the oldest first; as many as one window holds. */
  begins: number[];
  waiting: number;
  spacing: Spacing;
}

/**
 * Has the attempts of a throttled lane begin one after the other, each at its slot and at its distance from those before,
 * measured where they begin. One that is too late for its slot is given back: it is not made up for in a bunch. Those of a
 * lane without a throttle begin a few together.
 */
export class LaneTurns {
  private readonly lanes = new Map<string, LaneBegins>();

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly wait: typeof pause = pause,
  ) {}

  /** @returns null when it must not begin any more */
  async take(organizationId: string, attempt: AttemptLane, stopping: AbortSignal): Promise<LaneTurn | null> {
    const { beginAtMs, spacing, jobId } = attempt;
    if (!spacing) {
      const beginByMs = beginAtMs + UNTHROTTLED_LATE_MAX_MS;
      const isTime = await this.untilTime(this.togetherAtMs(beginAtMs), beginByMs, stopping);
      return isTime ? { beginByMs, begin: () => undefined, end: () => undefined } : null;
    }
    const lane = this.enter(`${organizationId} ${jobId}`, spacing);
    const before = lane.tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    lane.tail = promise;
    lane.waiting++;
    const end = (): void => {
      resolve();
      lane.waiting--;
    };
    await before;
    const beginByMs = beginAtMs + LATE_MAX_MS;
    const isTime = await this.untilTime(Math.max(beginAtMs, earliestMs(lane)), beginByMs, stopping);
    if (!isTime) {
      end();
      return null;
    }
    const begin = (): void => {
      lane.begins.push(this.clock.monotonic());
      if (lane.begins.length > spacing.windowMax) lane.begins.shift();
      resolve();
    };
    return { beginByMs, begin, end };
  }

  /** What is due waits for nothing. */
  private togetherAtMs(beginAtMs: number): number {
    if (beginAtMs <= this.clock.monotonic()) return beginAtMs;
    return Math.ceil(beginAtMs / UNTHROTTLED_TOGETHER_MS) * UNTHROTTLED_TOGETHER_MS;
  }

  /** A timer may be early by part of a millisecond. */
  private async untilTime(atMs: number, beginByMs: number, stopping: AbortSignal): Promise<boolean> {
    if (atMs > beginByMs) return false;
    for (let leftMs = atMs - this.clock.monotonic(); leftMs > 0; leftMs = atMs - this.clock.monotonic()) {
      await this.wait(Math.ceil(leftMs), stopping);
      if (stopping.aborted) return false;
    }
    return !stopping.aborted && this.clock.monotonic() <= beginByMs;
  }

  private enter(key: string, spacing: Spacing): LaneBegins {
    const known = this.lanes.get(key);
    if (known) return known;
    if (this.lanes.size >= REMEMBERED) this.forgetIdle();
    const lane: LaneBegins = { tail: Promise.resolve(), begins: [], waiting: 0, spacing };
    this.lanes.set(key, lane);
    return lane;
  }

  /** What may begin again by now needs not be remembered. */
  private forgetIdle(): void {
    const nowMs = this.clock.monotonic();
    for (const [key, lane] of this.lanes) {
      const lastMs = lane.begins.at(-1) ?? -Infinity;
      if (lane.waiting === 0 && lastMs + lane.spacing.windowMs < nowMs) this.lanes.delete(key);
    }
  }
}

function earliestMs({ begins, spacing }: LaneBegins): number {
  const [oldest] = begins;
  return oldest === undefined || begins.length < spacing.windowMax ? -Infinity : oldest + spacing.windowMs;
}
