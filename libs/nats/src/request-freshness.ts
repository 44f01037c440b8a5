import type { NatsConnection } from '@nats-io/transport-node';

const TICK_MS = 200;
/** A gap between ticks beyond this means that the process stood still: stopped, paused or starved. */
const STALL_MS = 2_000;
/** For so long after it stood still a process may yet read what waited in its sockets. */
const BACKLOG_MS = 1_000;

/**
 * Tells when the age of what arrives is not known.
 *
 * A deadline travels as a duration, because clocks differ; it begins when a request is read. After the process stood still
 * the requests that waited in its socket would have their whole time ahead of them, though their callers gave up long ago
 * and may have asked again. So after a stall everything is doubtful until the server has answered a PING: what it had
 * sent before that lies in front of the answer.
 */
export class RequestFreshness {
  private lastTickMs = performance.now();
  private stoodStillMs = -Infinity;
  private doubtful = false;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly connection: Pick<NatsConnection, 'flush'>) {
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  /** True for a request that may be older than its deadline says. To be asked before each. */
  isDoubtful(): boolean {
    if (!this.doubtful && performance.now() - this.lastTickMs > STALL_MS) this.beginDoubt();
    return this.doubtful;
  }

  /** The same for requests over connections other than NATS, where no PING shows the end of what is old. */
  hasStoodStill(): boolean {
    this.isDoubtful();
    return performance.now() - this.stoodStillMs < BACKLOG_MS;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    if (performance.now() - this.lastTickMs > STALL_MS) this.beginDoubt();
    this.lastTickMs = performance.now();
  }

  private beginDoubt(): void {
    this.stoodStillMs = performance.now();
    if (this.doubtful) return;
    this.doubtful = true;
    const end = (): void => {
      this.lastTickMs = performance.now();
      this.doubtful = false;
    };
    // A connection that broke meanwhile brings nothing old with it when it is back.
    this.connection.flush().then(end, end);
  }
}
