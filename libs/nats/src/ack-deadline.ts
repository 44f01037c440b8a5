import type { JsMsg } from '@nats-io/jetstream';

/** After so long without an acknowledgement the broker delivers again; consumers are provisioned with it that name no time of their own. */
export const ACK_WAIT_MS = 30_000;
/** Signs of life in that time: two of them may be lost. */
const EXTENSIONS = 3;
/** A handler that hangs does not keep its events for ever: then they come again, here or at another replica. */
const EXTENDED_MAX_MS = 5 * 60 * 1_000;

/**
 * Keeps the broker from delivering again what is still being worked on: every message that is held is extended three times
 * within the broker's patience, for 5 min at most.
 */
export class AckDeadlines {
  private readonly held = new Map<JsMsg, number>();
  private timer: NodeJS.Timeout | undefined;
  private readonly intervalMs: number;

  /** @param ackWaitMs as the consumer is provisioned */
  constructor(ackWaitMs: number = ACK_WAIT_MS) {
    this.intervalMs = ackWaitMs / EXTENSIONS;
  }

  hold(message: JsMsg): void {
    this.held.set(message, performance.now());
    this.timer ??= setInterval(() => this.extend(), this.intervalMs);
  }

  /** To be called when the message was acknowledged, in whatever way. */
  release(message: JsMsg): void {
    this.held.delete(message);
    if (this.held.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private extend(): void {
    const nowMs = performance.now();
    for (const [message, sinceMs] of this.held) {
      if (nowMs - sinceMs < EXTENDED_MAX_MS) message.working();
    }
  }
}
