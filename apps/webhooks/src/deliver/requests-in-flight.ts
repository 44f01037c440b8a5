import { Injectable } from '@nestjs/common';
import type { BegunRequest } from '../attempt/record-attempts.repository.js';
import {
  INTERRUPTED,
  type EndedRequest,
  type MarkedAttempt,
  type PendingDelivery,
} from '../delivery/delivery.entity.js';
import { holdersOf } from './choose-deliveries.js';
import type { UnsentRequest } from './deliver-turn.js';
import { InFlightBudget } from './in-flight-budget.js';
import {
  interruptedResult,
  NeverSent,
  SendRequest,
  type SendOptions,
  type SignedRequest,
} from '../attempt/send-request.client.js';
import { StopGrace } from '../attempt/stop-grace.js';
import { UnreadableSecret } from '../webhook/webhook-secrets.js';

/** Requests in flight of one process at most, with bodies of up to 32 KiB. */
const UNITS = 4_096;
/** A request that would begin later after its turn might outlast its lease: it is not sent. */
const LATE_MS = 4_000;
/** The body of an event that is no longer kept cannot be sent. */
const BODY_GONE = 'event no longer kept';

/** With another master key no secret of the webhook opens: it is tried again, by another process perhaps, after so long. */
const UNREADABLE_HOLD_MS = 60_000;

/** Something of ours is overloaded, or cannot start; or no name is answered, of which each look-up lasts for seconds. */
const NEVER_SENT_HOLD_MS = { late: 1_000, no_name_server: 10_000 };

/** When a request is sent, and how. */
export interface SendSpec extends Pick<SendOptions, 'isApart'> {
  /** The beginning of its turn, monotonic. */
  readonly turnAtMs: number;
  /** Now, by the database's clock. */
  readonly nowMs: number;
}

/** What came of a marked attempt. */
export type RequestEnd = EndedRequest | UnsentRequest;

/** The requests that this process has open, and the room that they take. */
@Injectable()
export class RequestsInFlight {
  readonly budget = new InFlightBudget(UNITS);
  private readonly open = new Map<string, Promise<RequestEnd>>();

  constructor(
    private readonly sender: SendRequest,
    private readonly grace: StopGrace,
  ) {}

  get count(): number {
    return this.open.size;
  }

  has(attemptId: string): boolean {
    return this.open.has(attemptId);
  }

  /** Gives back the room of a delivery that was chosen and is not sent. */
  forgo(delivery: PendingDelivery): void {
    this.budget.giveBack(holdersOf(delivery), delivery.bodyBytes);
  }

  /** Sends the request of a marked attempt. Never rejects. */
  async send(attempt: MarkedAttempt, request: BegunRequest, spec: SendSpec): Promise<RequestEnd> {
    const ended = this.sendNow(attempt, request, spec);
    this.open.set(attempt.id, ended);
    try {
      return await ended;
    } finally {
      this.open.delete(attempt.id);
      this.forgo(attempt.delivery);
    }
  }

  /** Until all that is under way has ended; when the service stops it lasts no longer than the grace. */
  async allEnded(): Promise<void> {
    await Promise.all(this.open.values());
  }

  private async sendNow(
    attempt: MarkedAttempt,
    request: BegunRequest,
    { turnAtMs, nowMs, isApart }: SendSpec,
  ): Promise<RequestEnd> {
    const { body, attemptId: _attemptId, isWanted, ...to } = request;
    const { organizationId, webhookId, eventId: dataId } = attempt.delivery;
    if (!isWanted) return { attempt, cause: 'unsubscribed', holdMs: 0 };
    if (body === null) return { attempt, result: { ...interruptedResult(0), error: BODY_GONE }, isEventGone: true };
    if (this.grace.signal.aborted || performance.now() - turnAtMs > LATE_MS)
      return { attempt, cause: 'late', holdMs: 0 };
    const signed = { ...to, organizationId, webhookId, dataId, body };
    return this.sendSigned(attempt, signed, { nowMs, isApart });
  }

  private async sendSigned(
    attempt: MarkedAttempt,
    request: SignedRequest,
    { nowMs, isApart }: Pick<SendSpec, 'nowMs' | 'isApart'>,
  ): Promise<RequestEnd> {
    try {
      const { signal } = this.grace;
      const { waitedMs, ...ended } = await this.sender.send(request, { signal, isApart });
      const isStopped = signal.aborted && ended.result.error === INTERRUPTED;
      return { attempt, sentAtMs: nowMs + waitedMs, ...ended, isStopped };
    } catch (error) {
      if (error instanceof NeverSent) return { attempt, cause: error.why, holdMs: NEVER_SENT_HOLD_MS[error.why] };
      if (error instanceof UnreadableSecret) {
        return { attempt, cause: 'unreadable_secret', holdMs: UNREADABLE_HOLD_MS };
      }
      // A defect of ours, of which it is not known whether anything left: reported with the attempt.
      return { attempt, result: interruptedResult(0), reason: error instanceof Error ? error.message : String(error) };
    }
  }
}
