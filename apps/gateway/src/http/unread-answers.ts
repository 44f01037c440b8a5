import type { Socket } from 'node:net';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { CLOCK, type Clock } from '@switchboard/platform';
import { onBeat, type OnBeat } from '@switchboard/timing';
import { OpenRequests } from './open-requests.js';

const SWEEP_INTERVAL_MS = 1_000;
/**
 * Without a byte of the answer that the connection takes. The kernel takes it in pieces of up to 1.5 MB, which a slow reader needs long
 * for. Source: docs/api-behaviour.md#wire.
 */
const STALLED_MS = 120_000;

/** How much of its answers a connection has still to take, and since when it is so much. */
interface Backlog {
  readonly bytes: number;
  readonly sinceMs: number;
}

/**
 * Ends the connections of clients that do not read their answer, which would be held for ever. One that reads on, however
 * slowly, is served; an answer that is still being written, as a stream of events is, has its own rule.
 */
@Injectable()
export class UnreadAnswers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly backlogs = new WeakMap<Socket, Backlog>();
  private sweeps: OnBeat | undefined;

  constructor(
    private readonly openRequests: OpenRequests,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.sweeps = onBeat(SWEEP_INTERVAL_MS, () => this.sweep());
  }

  beforeApplicationShutdown(): void {
    this.sweeps?.stop();
  }

  /** Looks at every answer that is written and not taken. */
  sweep(): void {
    const nowMs = this.clock.monotonic();
    for (const { request, reply } of this.openRequests.olderThan(SWEEP_INTERVAL_MS)) {
      if (reply.raw.writableEnded && this.isStalled(request.raw.socket, nowMs)) request.raw.socket.destroy();
    }
  }

  private isStalled(socket: Socket, nowMs: number): boolean {
    const bytes = bytesToTake(socket);
    const known = this.backlogs.get(socket);
    if (known?.bytes === bytes) return bytes > 0 && nowMs - known.sinceMs >= STALLED_MS;
    this.backlogs.set(socket, { bytes, sinceMs: nowMs });
    return false;
  }
}

/**
 * Of one large write, the stream counts all until all is out: how far it is, the handle alone shows, which Node's own timeout
 * of a socket asks as well.
 */
function bytesToTake(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly writeQueueSize: number } | null };
  return socket.writableLength + (handle?.writeQueueSize ?? 0);
}
