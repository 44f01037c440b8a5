import { createInbox, errors, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { inboxPrefix } from './connection.js';

interface Waiting {
  readonly subject: string;
  readonly untilMs: number;
  readonly resolve: (answer: Msg) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Publishes what is answered once each, within the same time each, and pairs the answers: one subscription, one timer.
 *
 * As `request` of the client, which takes 13 µs of CPU for what takes 5 here: it makes a timer for each request, and an Error
 * with its stack for each that was answered. Every event of every service is published so.
 */
export class AckInbox {
  private readonly inbox: string;
  /** By token, the oldest first. */
  private readonly waiting = new Map<string, Waiting>();
  private isSubscribed = false;
  private lastToken = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly connection: Pick<NatsConnection, 'publish' | 'subscribe' | 'closed'>,
    user: string,
    /** Milliseconds that each answer may take. */
    private readonly deadlineMs: number,
  ) {
    this.inbox = `${createInbox(inboxPrefix(user))}.`;
  }

  /**
   * @returns whatever the answer is
   * @throws TimeoutError, NoRespondersError, InvalidArgumentError (larger than the server takes), ClosedConnectionError
   */
  async publish(subject: string, payload: string, headers: MsgHdrs): Promise<Msg> {
    this.subscribe();
    const token = String(++this.lastToken);
    this.connection.publish(subject, payload, { headers, reply: this.inbox + token });
    return new Promise((resolve, reject) => {
      this.waiting.set(token, { subject, untilMs: performance.now() + this.deadlineMs, resolve, reject });
      this.timer ??= setTimeout(() => this.expire(), this.deadlineMs);
    });
  }

  /** Rejects what is still to be answered. */
  giveUp(error: Error): void {
    const open = [...this.waiting.values()];
    this.waiting.clear();
    this.stopTimer();
    for (const { reject } of open) reject(error);
  }

  private subscribe(): void {
    if (this.isSubscribed) return;
    this.isSubscribed = true;
    this.connection.subscribe(`${this.inbox}*`, {
      callback: (error, answer) => (error ? this.giveUp(error) : this.answered(answer)),
    });
    void this.connection.closed().then(() => this.giveUp(new errors.ClosedConnectionError()));
  }

  private answered(answer: Msg): void {
    const token = answer.subject.slice(this.inbox.length);
    const waiting = this.waiting.get(token);
    // An answer that comes behind its deadline has its event among those that are published again.
    if (!waiting) return;
    this.waiting.delete(token);
    if (this.waiting.size === 0) this.stopTimer();
    const isTaken = answer.data.length > 0 || answer.headers?.code !== 503;
    if (isTaken) waiting.resolve(answer);
    else waiting.reject(new errors.NoRespondersError(waiting.subject));
  }

  private expire(): void {
    this.timer = undefined;
    const nowMs = performance.now();
    for (const [token, { untilMs, reject }] of this.waiting) {
      if (untilMs > nowMs) {
        this.timer = setTimeout(() => this.expire(), Math.ceil(untilMs - nowMs));
        return;
      }
      this.waiting.delete(token);
      reject(new errors.TimeoutError());
    }
  }

  private stopTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
