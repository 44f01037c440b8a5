import type { NatsConnection } from '@nats-io/transport-node';
import { onBeat, type OnBeat } from '@switchboard/timing';

const TICK_MS = 500;
/** A gap between ticks beyond this means that the process stood still: stopped, paused or starved. */
const STALL_MS = 2_000;
/** For so long after it stood still a process may yet read what waited in its sockets. */
const BACKLOG_MS = 1_000;

/**
 * Says how old what arrives may be.
 *
 * A deadline travels as a duration, because clocks differ; it begins when a request is read. After the process stood still
 * the requests that waited in its socket would have their whole time ahead of them, though their callers gave up long ago
 * and may have asked again. So after a stall everything is doubtful until the server has answered a PING: what it had
 * sent before that lies in front of the answer. A shorter gap is taken from the budgets of the requests read after it.
 */
export class RequestFreshness {
  private lastTickMs = performance.now();
  /** By how much the last tick was late, where that is more than a tick. */
  private gapMs = 0;
  private stoodStillMs = -Infinity;
  private doubtful = false;
  private readonly ticks: OnBeat;

  constructor(private readonly connection: Pick<NatsConnection, 'flush'>) {
    this.ticks = onBeat(TICK_MS, () => this.tick());
  }

  /** Milliseconds for which a request that is read now may have waited; Infinity: that is not known, it must be refused. */
  ageMaxMs(): number {
    const sinceTickMs = performance.now() - this.lastTickMs;
    if (!this.doubtful && sinceTickMs > STALL_MS) this.beginDoubt();
    return this.doubtful ? Infinity : Math.max(this.gapMs, gapOf(sinceTickMs));
  }

  /** The same over connections other than NATS, where no PING shows the end of what is old. */
  directAgeMaxMs(): number {
    const ageMs = this.ageMaxMs();
    if (performance.now() - this.stoodStillMs < BACKLOG_MS) return Infinity;
    return ageMs === Infinity ? 0 : ageMs;
  }

  stop(): void {
    this.ticks.stop();
  }

  private tick(): void {
    const nowMs = performance.now();
    const sinceTickMs = nowMs - this.lastTickMs;
    if (sinceTickMs > STALL_MS) this.beginDoubt();
    // Timers fire before sockets are read: what is read until the next tick may have waited through this gap.
    this.gapMs = gapOf(sinceTickMs);
    this.lastTickMs = nowMs;
  }

  private beginDoubt(): void {
    this.stoodStillMs = performance.now();
    if (this.doubtful) return;
    this.doubtful = true;
    const end = (): void => {
      this.lastTickMs = performance.now();
      this.gapMs = 0;
      this.doubtful = false;
    };
    // A connection that broke meanwhile brings nothing old with it when it is back.
    this.connection.flush().then(end, end);
  }
}

/** A tick that is late by less than another one is a busy process, not one that stood still. */
function gapOf(sinceTickMs: number): number {
  return sinceTickMs > 2 * TICK_MS ? sinceTickMs - TICK_MS : 0;
}
