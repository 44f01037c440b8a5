import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { RpcFailure, RpcReply } from '@switchboard/contracts/grammar/define-rpc';
import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { lastValueFrom } from 'rxjs';
import { DEADLINE_HEADER, type RpcMessage } from './rpc-client.js';
import { RequestFreshness } from './request-freshness.js';
import { contextOfHeaders } from './trace-headers.js';

/** What the handler of an rpc gets: one object, because Nest hands a plain method its payload alone. */
export interface RpcCall<Request> extends RpcMessage<Request> {
  /** Aborts when the caller has stopped waiting; what has not begun by then must not begin. */
  readonly signal: AbortSignal;
}

/** How a service answers rpcs. */
export interface RpcServerOptions {
  readonly connection: NatsConnection;
  /** Queue group: one replica of the service takes each request. */
  readonly service: string;
  /** Requests under way at once; the next is refused with SERVICE_UNAVAILABLE. */
  readonly inFlightMax: number;
  /** Turns what a handler threw into what the caller learns; logs what is a bug. */
  readonly failureOf: (error: unknown, subject: string) => RpcFailure;
}

const tracer = trace.getTracer('@switchboard/nats');
const BUSY: RpcReply<never> = {
  error: {
    code: gatewayErrors.SERVICE_UNAVAILABLE.code,
    message: gatewayErrors.SERVICE_UNAVAILABLE.message,
    retryAfterSeconds: 1,
  },
};

/** Nest's transport over NATS request/reply: a queue subscription per handler, bounded, drained on close. */
export class RpcServerStrategy extends Server implements CustomTransportStrategy {
  private readonly subscriptions: Subscription[] = [];
  private readonly underway = new Set<Promise<void>>();
  private readonly freshness: RequestFreshness;

  constructor(private readonly options: RpcServerOptions) {
    super();
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
    this.freshness.stop();
    await Promise.all(this.subscriptions.map((subscription) => subscription.drain()));
    while (this.underway.size > 0) await Promise.all(this.underway);
    await this.options.connection.flush();
  }

  on(): never {
    throw new Error('the rpc server has no events');
  }

  unwrap<T>(): T {
    return this.options.connection as T;
  }

  private take(subject: string, message: Msg): void {
    if (this.freshness.isDoubtful() || this.underway.size >= this.options.inFlightMax) {
      message.respond(JSON.stringify(BUSY));
      return;
    }
    const answered = this.answer(subject, message).finally(() => this.underway.delete(answered));
    this.underway.add(answered);
  }

  private async answer(subject: string, message: Msg): Promise<void> {
    const parent = contextOfHeaders(message.headers, ROOT_CONTEXT);
    const span = tracer.startSpan(subject, { kind: SpanKind.SERVER, attributes: { 'rpc.method': subject } }, parent);
    const reply = await context.with(trace.setSpan(parent, span), () => this.run(subject, message));
    if ('error' in reply) {
      span.setAttribute('error.type', reply.error.code);
      if (reply.error.code === gatewayErrors.INTERNAL.code) span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.respond(subject, message, reply);
    span.end();
  }

  /** Never throws: an answer that cannot be sent must not end the process with its other requests. */
  private respond(subject: string, message: Msg, reply: RpcReply<unknown>): void {
    try {
      const text = JSON.stringify(reply);
      const answerBytes = Buffer.byteLength(text);
      const answerBytesMax = this.options.connection.info?.max_payload ?? Infinity;
      if (answerBytes <= answerBytesMax) message.respond(text);
      else {
        const error = new RangeError(`an answer of ${answerBytes} bytes is more than a message holds`);
        message.respond(JSON.stringify({ error: this.options.failureOf(error, subject) }));
      }
    } catch (error) {
      // The connection is closed: the caller's deadline tells it.
      this.logger.error(error);
    }
  }

  private async run(subject: string, message: Msg): Promise<RpcReply<unknown>> {
    const deadline = new AbortController();
    const deadlineMs = Number(message.headers?.get(DEADLINE_HEADER)) || 10_000;
    // Not AbortSignal.timeout: that one fires for every request long after its answer, with a stack each time.
    const timer = setTimeout(() => deadline.abort(new AppError(gatewayErrors.SERVICE_UNAVAILABLE)), deadlineMs);
    try {
      const handler = this.messageHandlers.get(subject);
      if (!handler) throw new AppError(gatewayErrors.NOT_FOUND, `There is no ${subject}`);
      const call: RpcCall<unknown> = { ...message.json<RpcMessage<unknown>>(), signal: deadline.signal };
      const result: unknown = await handler(call);
      return { ok: await lastValueFrom(this.transformToObservable(result)) };
    } catch (error) {
      return { error: this.options.failureOf(error, subject) };
    } finally {
      clearTimeout(timer);
    }
  }
}
