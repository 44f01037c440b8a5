import { Inject, Injectable } from '@nestjs/common';
import { ThrottledLog } from '@switchboard/nats';
import { OutboundHttp, type OutboundEnd, type OutboundError } from '@switchboard/outbound-http';
import { SecretBox } from '@switchboard/secrets';
import { signatureHeaders } from '@switchboard/webhook-signature';
import { LOG, type Clock, type Log } from '@switchboard/platform';
import { DatabaseClock } from './database-clock.js';
import { INTERRUPTED, type AttemptResult } from '../delivery/delivery.entity.js';
import { retryAfterMs } from '../delivery/retry.policy.js';
import { OutboundApart } from '../outbound.js';
import { openSecrets, type SealedSecrets } from '../webhook/webhook-secrets.js';

/** What is sent, and where. */
export interface SignedRequest extends SealedSecrets {
  readonly organizationId: string;
  readonly webhookId: string;
  readonly url: string;
  readonly body: string;
  /** `data.id` of the body. */
  readonly dataId: string;
}

/** A result, and why there was none for the log alone: open and closed ports differ in it. */
export interface LoggedResult {
  readonly result: AttemptResult;
  readonly reason: string | null;
  /** The response was not read to its end. */
  readonly isCut: boolean;
  /** For so long the request waited for whoever sent it: its duration is measured from then on. */
  readonly waitedMs: number;
}

/** How a request is sent. */
export interface SendOptions {
  /** Ends the request; its result is `interrupted` then. */
  readonly signal?: AbortSignal;
  /** In a thread of its own: of a receiver that gives way to others. */
  readonly isApart?: boolean;
}

/** Nothing of the request has left, for a cause of ours: it is no attempt. */
export class NeverSent extends Error {
  override readonly name = 'NeverSent';

  constructor(
    message: string,
    readonly why: 'late' | 'no_name_server' = 'late',
  ) {
    super(message);
  }
}

/** Sends one signed request to a receiver; what comes of it is a result. */
@Injectable()
export class SendRequest {
  private readonly unreadable: ThrottledLog;

  constructor(
    private readonly outbound: OutboundHttp,
    private readonly apart: OutboundApart,
    private readonly box: SecretBox,
    @Inject(DatabaseClock) private readonly clock: Pick<Clock, 'now'>,
    @Inject(LOG) log: Log,
  ) {
    // Of one webhook at a time: a key that is missing would write a line for each request of all.
    this.unreadable = new ThrottledLog((error) => log.error('webhook.former-secret-unreadable', error));
  }

  /** A former secret that does not open signs not, and is logged. @throws NeverSent; UnreadableSecret */
  async send(request: SignedRequest, { signal, isApart = false }: SendOptions = {}): Promise<LoggedResult> {
    const { url, dataId } = request;
    const body = Buffer.from(request.body, 'utf8');
    const secrets = openSecrets(this.box, request);
    if (secrets.unreadable !== null) this.unreadable.failed(secrets.unreadable);
    const headers = signatureHeaders(body, secrets, { id: dataId, atMs: this.clock.now() });
    const sender = isApart ? this.apart : this.outbound;
    const givenAtMs = performance.now();
    const end = await sender.post({ url, headers, body, ...(signal ? { signal } : {}) });
    const waitedMs = Math.max(performance.now() - givenAtMs - end.durationMs, 0);
    if (end.state === 'failed' && end.error === 'never sent') throw new NeverSent(end.reason);
    if (end.state === 'failed' && end.error === 'no name server') throw new NeverSent(end.reason, 'no_name_server');
    const reason = end.state === 'failed' ? end.reason : null;
    const isCut = end.state === 'answered' && end.isCut;
    return { result: resultOf(end, this.clock.now()), reason, isCut, waitedMs };
  }
}

/** The result of an attempt that ended, or is over, without a known end. */
export function interruptedResult(durationMs: number): AttemptResult {
  return {
    durationMs,
    responseStatus: null,
    responseBody: null,
    error: INTERRUPTED,
    outcome: 'FAILED',
    retryAfterMs: null,
  };
}

/** As it is at registration: which of both it is would answer whether a name exists that only our network knows. */
const UNREACHABLE = 'no allowed address';
const SHOWN: Readonly<Partial<Record<OutboundError, string>>> = {
  aborted: INTERRUPTED,
  'url not allowed': UNREACHABLE,
  'name not resolved': UNREACHABLE,
};

function resultOf(end: OutboundEnd, nowMs: number): AttemptResult {
  const { durationMs, status: responseStatus, body: responseBody, retryAfter } = end;
  const isHold = responseStatus === 429 || responseStatus === 503;
  const holdMs = isHold ? retryAfterMs(retryAfter, nowMs) : null;
  const seen = { durationMs, responseStatus, responseBody, retryAfterMs: holdMs };
  if (end.state === 'failed') {
    return { ...seen, error: SHOWN[end.error] ?? end.error, outcome: 'FAILED' };
  }
  return { ...seen, error: null, outcome: end.status >= 200 && end.status < 300 ? 'SUCCEEDED' : 'FAILED' };
}
