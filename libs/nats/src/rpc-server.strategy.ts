import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Cuid } from '@switchboard/contracts/grammar/cuid';
import type { RpcFailure, RpcReply } from '@switchboard/contracts/grammar/define-rpc';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import type { Msg, MsgHdrs, NatsConnection, Subscription } from '@nats-io/transport-node';
import { endsWithin } from '@switchboard/timing';
import { lastValueFrom } from 'rxjs';
import { Budget, DEADLINE_HEADER, spent } from './budget.js';
import { DynamicShares } from './dynamic-shares.js';
import { callIdOf } from './rpc-call-id.js';
import type { RpcMessage } from './rpc-client.js';
import { RequestFreshness } from './request-freshness.js';
import { rpcServerMetrics } from './rpc-metrics.js';
import { ANSWER_BYTES_MAX, partsOf, takesParts } from './rpc-parts.js';
import { contextOfHeaders } from './trace-headers.js';

/** What the handler of an rpc gets: one object, because Nest hands a plain method its payload alone. */
export interface RpcCall<Request> extends RpcMessage<Request> {
  /** What is left of the caller's time, less the way back: to be passed on to every rpc and batch that works for it. */
  readonly budget: Budget;
  /** The same whenever the caller asks again because an answer was lost; absent from a caller of the release before. */
  readonly callId?: Cuid;
}

/** How a service answers rpcs. */
export interface RpcServerOptions {
  readonly connection: NatsConnection;
  /** Queue group: one replica of the service takes each request. */
  readonly service: string;
  /** Requests under way at once, of one organization three quarters of them; the next is refused with SERVICE_UNAVAILABLE. */
  readonly inFlightMax: number;
  /** Turns what a handler threw into what the caller learns; logs what is a bug. */
  readonly failureOf: (error: unknown, subject: string) => RpcFailure;
}

/** A request as it came, by whichever way. */
interface InboundRequest {
  readonly subject: string;
  readonly headers: MsgHdrs | undefined;
  /** `RpcMessage` as JSON. */
  readonly text: string;
  /** For how long it may have waited to be read. */
  readonly ageMs: number;
}

const tracer = trace.getTracer('@switchboard/nats');
/** A server that is away does not hold up the end of the process. */
const DRAIN_WITHIN_MS = 1_000;
const BUSY: RpcReply<never> = {
  error: {
    code: serviceErrors.SERVICE_UNAVAILABLE.code,
    message: serviceErrors.SERVICE_UNAVAILABLE.message,
    retryAfterSeconds: 1,
  },
};

/** Nest's transport over NATS request/reply: a queue subscription per handler, bounded, drained on close. */
export class RpcServerStrategy extends Server implements CustomTransportStrategy {
  private readonly subscriptions: Subscription[] = [];
  private readonly underway = new Set<Promise<void>>();
  private readonly shares: DynamicShares;
  private readonly freshness: RequestFreshness;
  private readonly metrics = rpcServerMetrics(() => this.underway.size);
  private closing = false;

  constructor(private readonly options: RpcServerOptions) {
    super();
    this.shares = new DynamicShares(options.inFlightMax);
    this.freshness = new RequestFreshness(options.connection);
  }

  listen(callback: () => void): void {
    for (const subject of this.messageHandlers.keys()) {
      const onMessage = (error: Error | null, message: Msg): void => {
        if (error) this.logger.error(error);
        else this.take(subject, message);
      };
      const { service: queue } = this.options;
      this.subscriptions.push(this.options.connection.subscribe(subject, { queue, callback: onMessage }));
    }
    callback();
  }

  /** Takes no further request, and returns when those under way are answered. */
  async close(): Promise<void> {
    this.closing = true;
    this.freshness.stop();
    const { connection } = this.options;
    // A drain waits for the server, which may be away: what is under way is answered meanwhile all the same.
    const drained = Promise.all(this.subscriptions.map((subscription) => subscription.drain()));
    await endsWithin(
      drained.catch(() => undefined),
      DRAIN_WITHIN_MS,
    );
    while (this.underway.size > 0) await Promise.all(this.underway);
    await endsWithin(
      connection.flush().catch(() => undefined),
      DRAIN_WITHIN_MS,
    );
  }

  on(): never {
    throw new Error('the rpc server has no events');
  }

  unwrap<T>(): T {
    return this.options.connection as T;
  }

  /**
   * Answers a request that came directly, because NATS is away.
   *
   * @returns the reply as JSON; null when nothing is taken: the service is stopping, or the process has just stood still
   * and does not know how old the request is
   */
  async answerDirectly(subject: string, headers: MsgHdrs, text: string): Promise<string | null> {
    const ageMs = this.freshness.directAgeMaxMs();
    if (this.closing || ageMs === Infinity || !this.messageHandlers.has(subject)) return null;
    if (this.underway.size >= this.options.inFlightMax) return this.refuse();
    return this.track(this.answer({ subject, headers, text, ageMs }));
  }

  private take(subject: string, message: Msg): void {
    const ageMs = this.freshness.ageMaxMs();
    if (ageMs === Infinity || this.underway.size >= this.options.inFlightMax) {
      this.respond(message, this.refuse());
      return;
    }
    const answer = this.answer({ subject, headers: message.headers, text: message.string(), ageMs });
    void this.track(answer.then((text) => this.respond(message, text)));
  }

  private refuse(): string {
    this.metrics.refused();
    return JSON.stringify(BUSY);
  }

  private track<Result>(work: Promise<Result>): Promise<Result> {
    const ended: Promise<void> = work.then(
      () => void this.underway.delete(ended),
      () => void this.underway.delete(ended),
    );
    this.underway.add(ended);
    return work;
  }

  /** Never rejects. */
  private async answer(inbound: InboundRequest): Promise<string> {
    const { subject, headers } = inbound;
    const parent = contextOfHeaders(headers, ROOT_CONTEXT);
    const span = tracer.startSpan(subject, { kind: SpanKind.SERVER, attributes: { 'rpc.method': subject } }, parent);
    const reply = await context.with(trace.setSpan(parent, span), () => this.run(inbound));
    if ('error' in reply) {
      span.setAttribute('error.type', reply.error.code);
      if (reply.error.code === serviceErrors.INTERNAL.code) span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
    return this.textOf(subject, reply, takesParts(headers) ? ANSWER_BYTES_MAX : this.messageBytesMax());
  }

  private messageBytesMax(): number {
    return this.options.connection.info?.max_payload ?? Infinity;
  }

  private textOf(subject: string, reply: RpcReply<unknown>, bytesMax: number): string {
    try {
      const text = JSON.stringify(reply);
      const bytes = Buffer.byteLength(text);
      if (bytes <= bytesMax) return text;
      throw new RangeError(`an answer of ${bytes} bytes is more than its caller takes`);
    } catch (error) {
      return JSON.stringify({ error: this.options.failureOf(error, subject) });
    }
  }

  /** Never throws: an answer that cannot be sent must not end the process with its other requests. */
  private respond(message: Msg, text: string): void {
    const bytesMax = this.messageBytesMax();
    try {
      if (Buffer.byteLength(text) <= bytesMax) message.respond(text);
      else
        for (const { payload, headers } of partsOf(Buffer.from(text), bytesMax)) message.respond(payload, { headers });
    } catch (error) {
      // The connection is closed: the caller's deadline ends it.
      this.logger.error(error);
    }
  }

  private async run({ subject, headers, text, ageMs }: InboundRequest): Promise<RpcReply<unknown>> {
    const budget = Budget.received(headers?.get(DEADLINE_HEADER), ageMs);
    try {
      // Its caller has stopped waiting, and may be asking another replica.
      if (budget.leftMs <= 0) throw spent();
      const handler = this.messageHandlers.get(subject);
      if (!handler) throw new AppError(serviceErrors.NOT_FOUND, `Unknown rpc subject ${subject}`);
      const message = JSON.parse(text) as RpcMessage<unknown>;
      const callId = callIdOf(headers);
      const call = { ...message, budget, ...(callId !== undefined && { callId }) };
      return await this.runShared(message.principal.organizationId, call, handler);
    } catch (error) {
      return { error: this.options.failureOf(error, subject) };
    } finally {
      budget.close();
    }
  }

  /** Refuses an organization that has its share of what is under way. */
  private async runShared(
    organizationId: string,
    call: RpcCall<unknown>,
    handler: MessageHandler,
  ): Promise<RpcReply<unknown>> {
    if (!this.shares.take(organizationId)) {
      this.metrics.refused();
      return BUSY;
    }
    try {
      const result: unknown = await handler(call);
      return { ok: await lastValueFrom(this.transformToObservable(result)) };
    } finally {
      this.shares.release(organizationId);
    }
  }
}
