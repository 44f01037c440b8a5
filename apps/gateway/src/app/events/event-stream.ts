import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { EventFeedPage } from '@switchboard/contracts/webhooks/rpc';
import { PollingLoop } from '@switchboard/platform';
import { jittered, pause, WakeSignal } from '@switchboard/timing';

/** How often a stream looks for events that no wake-up announced. */
const LOOK_MS = 5_000;
/** Between two reads of a stream: what comes in a burst is read together. */
const READ_PAUSE_MS = 50;
/** So much may wait for a reader: only one that is further behind is waited for. */
const AHEAD_BYTES_MAX = 16 * 1_024;
/** A reader that takes nothing for so long is cut off; it comes back where it was. */
const SLOW_MS = 10_000;
/** After which a browser opens the stream again; spread, so that not all of them come at once. */
const RETRY_MS = 2_000;

/** Why a stream can end. */
export const STREAM_ENDS = ['closed', 'session', 'slow', 'stopping'] as const;

/** Why a stream ended. */
export type StreamEnd = (typeof STREAM_ENDS)[number];

/** What a stream is made from. */
export interface EventStreamSpec {
  readonly organizationId: string;
  readonly sessionId: string;
  /** Its head is written. */
  readonly response: ServerResponse;
  /** Where reading starts. */
  readonly cursor: string;
  /** Reads the feed after a cursor. */
  readonly read: (cursor: string) => Promise<EventFeedPage>;
  readonly onError: (error: unknown) => void;
}

/**
 * One answer of `GET /app/api/events`: sends what the feed has, then waits for more. It never holds more than a page, and
 * reads no further while the reader takes nothing.
 */
export class EventStream {
  private readonly wakeUp = new WakeSignal();
  private readonly over = new AbortController();
  private readonly loop: PollingLoop;
  private cursor: string;
  private readMs = 0;
  /** Null while it is open. */
  private reason: StreamEnd | null = null;

  constructor(
    private readonly spec: EventStreamSpec,
    private readonly slowMs: number = SLOW_MS,
  ) {
    this.cursor = spec.cursor;
    const { onError } = spec;
    this.loop = new PollingLoop({ round: () => this.round(), idleMs: LOOK_MS, signal: this.wakeUp, onError });
    spec.response.once('close', () => this.end('closed'));
  }

  get organizationId(): string {
    return this.spec.organizationId;
  }

  get sessionId(): string {
    return this.spec.sessionId;
  }

  /** Begins. The first event carries the cursor, so that even a reader that saw no other can go on from it. */
  start(): void {
    const retryMs = Math.round(jittered(RETRY_MS));
    this.spec.response.write(`retry: ${retryMs}\nid: ${this.cursor}\nevent: ready\ndata: {}\n\n`);
    this.loop.start();
  }

  /** The feed has grown. */
  wake(): void {
    this.wakeUp.wake();
  }

  /** Keeps proxies from ending a silent connection; a reader that is behind needs none. */
  beat(): void {
    const { response } = this.spec;
    if (this.reason === null && !response.writableNeedDrain) response.write(': heartbeat\n\n');
  }

  /** Ends the answer. @returns why it ended first */
  end(reason: StreamEnd): StreamEnd {
    if (this.reason !== null) return this.reason;
    this.reason = reason;
    this.over.abort();
    void this.loop.stop();
    if (reason === 'slow') this.spec.response.destroy();
    else this.spec.response.end();
    return reason;
  }

  private async round(): Promise<boolean> {
    await pause(Math.max(0, this.readMs + READ_PAUSE_MS - performance.now()), this.over.signal);
    if (this.reason !== null) return false;
    this.readMs = performance.now();
    const { bodies, cursors = [], nextCursor } = await this.spec.read(this.cursor);
    for (const [index, body] of bodies.entries()) {
      if (this.reason !== null) return false;
      const id = cursors[index];
      // The stored texts are JSON without line breaks.
      await this.send(`${id === undefined ? '' : `id: ${id}\n`}data: ${body}\n\n`);
    }
    this.cursor = nextCursor;
    return bodies.length > 0;
  }

  private async send(frame: string): Promise<void> {
    const { response } = this.spec;
    if (response.write(frame) || response.writableLength <= AHEAD_BYTES_MAX) return;
    const slow = AbortSignal.timeout(this.slowMs);
    try {
      await once(response, 'drain', { signal: AbortSignal.any([slow, this.over.signal]) });
    } catch (error) {
      if (slow.aborted) this.end('slow');
      else if (!this.over.signal.aborted) throw error;
    }
  }
}
