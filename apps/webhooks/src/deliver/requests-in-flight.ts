import { Injectable } from '@nestjs/common';
import { endsWithin } from '@switchboard/timing';
import type { BegunRequest } from '../attempt/record-attempts.repository.js';
import type { MarkedAttempt, PendingDelivery } from '../delivery/delivery.entity.js';
import { holdersOf } from './choose-deliveries.js';
import type { EndedRequest } from './deliver-turn.js';
import { InFlightBudget } from './in-flight-budget.js';
import { interruptedResult, SendRequest } from '../attempt/send-request.client.js';

/** Requests in flight of one process at most, with bodies of up to 32 KiB. */
const UNITS = 4_096;
/** A request that would begin later after its turn might outlast its lease: it is not sent. */
const LATE_MS = 4_000;
/** When the service stops, what is under way has so long to end by itself. */
const END_MS = 3_000;
/** The body of an event that is no longer kept cannot be sent. */
const BODY_GONE = 'event no longer kept';

/** The requests that this process has open, and the room that they take. */
@Injectable()
export class RequestsInFlight {
  readonly budget = new InFlightBudget(UNITS);
  private readonly open = new Map<string, Promise<EndedRequest>>();
  private readonly ending = new AbortController();

  constructor(private readonly sender: SendRequest) {}

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

  /** Sends the request of a marked attempt. Never rejects. @param turnAtMs when its turn began, monotonic */
  async send(attempt: MarkedAttempt, request: BegunRequest, turnAtMs: number): Promise<EndedRequest> {
    const ended = this.sendNow(attempt, request, turnAtMs);
    this.open.set(attempt.id, ended);
    try {
      return await ended;
    } finally {
      this.open.delete(attempt.id);
      this.forgo(attempt.delivery);
    }
  }

  /** Waits for what is under way, and ends what lasts. */
  async end(): Promise<void> {
    if (!(await endsWithin(Promise.all(this.open.values()), END_MS))) this.ending.abort();
    await Promise.all(this.open.values());
  }

  private async sendNow(attempt: MarkedAttempt, request: BegunRequest, turnAtMs: number): Promise<EndedRequest> {
    const { body, attemptId: _attemptId, ...to } = request;
    const { organizationId, webhookId, eventId: dataId } = attempt.delivery;
    if (body === null) return { attempt, result: { ...interruptedResult(0), error: BODY_GONE } };
    const lateMs = performance.now() - turnAtMs;
    if (lateMs > LATE_MS) return { attempt, result: interruptedResult(Math.round(lateMs)) };
    const signed = { ...to, organizationId, webhookId, dataId, body };
    const { result, reason } = await this.sender.send(signed, this.ending.signal).catch(failedToSend);
    return { attempt, result, reason };
  }
}

/** A fault of ours, such as a secret that does not open: reported with the attempt. */
function failedToSend(error: unknown): { result: EndedRequest['result']; reason: string } {
  return { result: interruptedResult(0), reason: error instanceof Error ? error.message : String(error) };
}
