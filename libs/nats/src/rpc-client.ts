import { setTimeout as wait } from 'node:timers/promises';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { errorByCode } from '@switchboard/contracts/error-registry';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { RpcDefinition, RpcReply } from '@switchboard/contracts/grammar/define-rpc';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { jittered } from '@switchboard/timing';
import type { NatsConnection } from '@nats-io/transport-node';
import { LinkState } from './link-state.js';
import { rpcClientMetrics, type RpcCallOutcome } from './rpc-metrics.js';
import { RpcOverNats, type RpcWay } from './rpc-over-nats.js';
import { LinkLost, RpcUnanswered } from './rpc-unanswered.js';
import { traceHeaders } from './trace-headers.js';

/** Header with the milliseconds that the caller will wait; relative, because clocks differ. */
export const DEADLINE_HEADER = 'Switchboard-Deadline-Ms';

/** What is on the wire in an rpc. */
export interface RpcMessage<Request> {
  readonly principal: Principal;
  readonly request: Request;
}

/** How long a call may take. */
export interface RpcLimits {
  /** Milliseconds to wait for one answer; the rpc's own by default. */
  readonly deadlineMs?: number;
  /** Milliseconds in all, for a service that is away to come back; 8 s by default, never less than the deadline. */
  readonly patienceMs?: number;
}

/** What a client has beside NATS. */
export interface RpcClientOptions {
  readonly link?: LinkState;
  /** The way that is taken while NATS is away. */
  readonly direct?: RpcWay;
}

const tracer = trace.getTracer('@switchboard/nats');
/** A restart of a service, its last requests included: nobody took the request, so asking again is safe. */
const PATIENCE_MS = 8_000;
const PAUSE_MS = { first: 25, max: 400 };

/**
 * Calls other services, with a deadline, the tenant and the trace: over NATS, and directly while NATS is away.
 *
 * Every rpc may be asked twice: when the link breaks before the answer, the same question goes the other way.
 */
export class RpcClient {
  private readonly link: LinkState;
  private readonly nats: RpcWay;
  private readonly direct: RpcWay | undefined;
  private readonly metrics = rpcClientMetrics();

  constructor(connection: NatsConnection, options: RpcClientOptions = {}) {
    this.link = options.link ?? new LinkState(connection);
    this.nats = new RpcOverNats(connection, this.link);
    this.direct = options.direct;
  }

  /** @throws AppError as the service refused it; RpcUnanswered */
  async call<Request, Response>(
    rpc: RpcDefinition<Request, Response>,
    principal: Principal,
    request: Request,
    limits: RpcLimits = {},
  ): Promise<Response> {
    const startedMs = performance.now();
    let outcome: RpcCallOutcome = 'answered';
    try {
      return await this.callTraced(rpc, principal, request, limits);
    } catch (error) {
      outcome = outcomeOf(error);
      throw error;
    } finally {
      this.metrics.called(rpc.subject, outcome, performance.now() - startedMs);
    }
  }

  private async callTraced<Request, Response>(
    rpc: RpcDefinition<Request, Response>,
    principal: Principal,
    request: Request,
    limits: RpcLimits,
  ): Promise<Response> {
    const parent = trace.getSpan(context.active());
    if (!parent?.isRecording()) return this.ask(rpc, principal, request, limits);
    const span = tracer.startSpan(rpc.subject, {
      kind: SpanKind.CLIENT,
      attributes: { 'rpc.system.name': this.link.isAway ? 'http' : 'nats', 'rpc.method': rpc.subject },
    });
    try {
      return await context.with(trace.setSpan(context.active(), span), () => this.ask(rpc, principal, request, limits));
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute('error.type', error instanceof AppError ? error.code : 'unanswered');
      throw error;
    } finally {
      span.end();
    }
  }

  private async ask<Request, Response>(
    rpc: RpcDefinition<Request, Response>,
    principal: Principal,
    request: Request,
    { deadlineMs = rpc.deadlineMs, patienceMs = Math.max(PATIENCE_MS, deadlineMs) }: RpcLimits,
  ): Promise<Response> {
    const message: RpcMessage<Request> = { principal, request };
    const payload = JSON.stringify(message);
    const headers = traceHeaders();
    const endMs = performance.now() + patienceMs;
    let effect: RpcUnanswered['effect'] = 'none';
    for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.max)) {
      const timeoutMs = Math.ceil(Math.min(deadlineMs, Math.max(endMs - performance.now(), 1)));
      headers.set(DEADLINE_HEADER, String(timeoutMs));
      try {
        const way = this.link.isAway ? (this.direct ?? this.nats) : this.nats;
        return openReply((await way.ask({ rpc, payload, headers }, timeoutMs)) as RpcReply<Response>);
      } catch (error) {
        if (!(error instanceof RpcUnanswered)) throw error;
        if (error.effect === 'unknown') effect = 'unknown';
        const isWorthAsking = error.effect === 'none' || (error.cause instanceof LinkLost && this.direct !== undefined);
        if (!isWorthAsking || performance.now() + pauseMs >= endMs) {
          throw new RpcUnanswered(rpc.subject, effect, error.cause);
        }
      }
      await wait(jittered(pauseMs));
    }
  }
}

function openReply<Response>(reply: RpcReply<Response>): Response {
  if ('ok' in reply) return reply.ok;
  const { code, message, ...details } = reply.error;
  throw new AppError(errorByCode(code), message, details);
}

function outcomeOf(error: unknown): RpcCallOutcome {
  if (error instanceof AppError) return 'refused';
  return error instanceof RpcUnanswered && error.effect === 'none' ? 'nobody' : 'unanswered';
}
