import { setTimeout as wait } from 'node:timers/promises';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { errorByCode } from '@switchboard/contracts/error-registry';
import { newCuid, type Cuid } from '@switchboard/contracts/grammar/cuid';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { RpcDefinition, RpcReply } from '@switchboard/contracts/grammar/define-rpc';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { backoffMs } from '@switchboard/timing';
import type { NatsConnection } from '@nats-io/transport-node';
import { Budget, DEADLINE_HEADER } from './budget.js';
import { JsonText } from './json-text.js';
import { LinkState } from './link-state.js';
import { rpcClientMetrics, type RpcCallOutcome } from './rpc-metrics.js';
import { CALL_HEADER } from './rpc-call-id.js';
import { PARTS_HEADER } from './rpc-parts.js';
import { RpcOverNats, type RpcWay, type ServiceStarts } from './rpc-over-nats.js';
import { LinkLost, RpcUnanswered, ServiceStarted } from './rpc-unanswered.js';
import { traceHeaders } from './trace-headers.js';

/** What is on the wire in an rpc. */
export interface RpcMessage<Request> {
  readonly principal: Principal;
  readonly request: Request;
}

/** How long a call may take. */
export interface RpcLimits {
  /** Milliseconds to wait for one answer; the rpc's own by default. */
  readonly deadlineMs?: number;
  /**
   * Of the request that the call is made for. Its owner repeats: the call waits for a service that is away as long as
   * the budget lasts, and reports a request that may have been taken. Without one the call has 8 s, never less than the
   * deadline, and owns them.
   */
  readonly budget?: Budget;
  /**
   * With a budget: asks again what may have been taken as well, as a call without one does. For a call whose failure the owner of the budget
   * is given as an answer, so that it does not repeat it. False by default.
   */
  readonly ownsRepeats?: boolean;
  /** Of a former try, where the caller itself asks again: the service knows what that one has done. A new one by default. */
  readonly callId?: Cuid;
}

/** What a client has apart from NATS. */
export interface RpcClientOptions {
  readonly link?: LinkState;
  /** The way that is taken while NATS is away. */
  readonly direct?: RpcWay;
  /** Says when to ask again although no answer was refused. */
  readonly starts?: ServiceStarts;
}

const tracer = trace.getTracer('@switchboard/nats');
/** A restart of a service, its last requests included. */
const OWN_BUDGET_MS = 8_000;
const BACKOFF = { firstMs: 25, maxMs: 400 };

/**
 * Calls other services, with a deadline, the tenant and the trace: over NATS, and directly while NATS is away.
 *
 * A request that no process took has not begun: it is offered again until the budget is spent. One that may have been
 * taken is asked again by the owner of the budget alone, or who answers for it (`ownsRepeats`), over the other way when its link broke, and when a process of the
 * service has started; every rpc may be asked twice. All tries carry one id, by which the service can know its former try.
 */
export class RpcClient {
  private readonly link: LinkState;
  private readonly nats: RpcWay;
  private readonly direct: RpcWay | undefined;
  private readonly metrics = rpcClientMetrics();

  constructor(connection: NatsConnection, options: RpcClientOptions = {}) {
    this.link = options.link ?? new LinkState(connection);
    this.nats = new RpcOverNats(connection, this.link, options.starts);
    this.direct = options.direct;
  }

  /** @throws AppError as the service refused it; RpcUnanswered */
  async call<Request, Response>(
    rpc: RpcDefinition<Request, Response>,
    principal: Principal,
    request: Request | JsonText<Request>,
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
    request: Request | JsonText<Request>,
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
    request: Request | JsonText<Request>,
    { deadlineMs = rpc.deadlineMs, budget: given, ownsRepeats = given === undefined, callId = newCuid() }: RpcLimits,
  ): Promise<Response> {
    const payload = payloadOf(principal, request);
    const headers = traceHeaders();
    headers.set(CALL_HEADER, callId);
    if (rpc.inParts) headers.set(PARTS_HEADER, '1');
    const budget = given ?? new Budget(Math.max(OWN_BUDGET_MS, deadlineMs));
    let effect: RpcUnanswered['effect'] = 'none';
    for (let tries = 1; ; tries++) {
      const waitMs = Math.ceil(Math.min(deadlineMs, budget.leftMs));
      if (waitMs <= 0) throw new RpcUnanswered(rpc.subject, effect, new Error('the budget is spent'));
      headers.set(DEADLINE_HEADER, String(waitMs));
      try {
        const way = this.link.isAway ? (this.direct ?? this.nats) : this.nats;
        return openReply((await way.ask({ rpc, payload, headers }, waitMs)) as RpcReply<Response>);
      } catch (error) {
        if (!(error instanceof RpcUnanswered)) throw error;
        if (error.effect === 'unknown') effect = 'unknown';
        const hasOtherWay = ownsRepeats && error.cause instanceof LinkLost && this.direct !== undefined;
        const hasNewProcess = ownsRepeats && error.cause instanceof ServiceStarted;
        const mayAskAgain = error.effect === 'none' || hasOtherWay || hasNewProcess;
        const pauseMs = backoffMs(tries, BACKOFF);
        if (!mayAskAgain || budget.leftMs <= pauseMs) throw new RpcUnanswered(rpc.subject, effect, error.cause);
        await wait(pauseMs);
      }
    }
  }
}

/** `RpcMessage` as JSON. */
function payloadOf<Request>(principal: Principal, request: Request | JsonText<Request>): string | Uint8Array {
  if (request instanceof JsonText) {
    const parts = [`{"principal":${JSON.stringify(principal)},"request":`, ...request.parts, '}'];
    return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  }
  const message: RpcMessage<Request> = { principal, request };
  return JSON.stringify(message);
}

function openReply<Response>(reply: RpcReply<Response>): Response {
  if ('ok' in reply) return reply.ok;
  const { code, message, ...details } = reply.error;
  throw new AppError(errorByCode(code), message, details);
}

function outcomeOf(error: unknown): RpcCallOutcome {
  if (error instanceof AppError) return 'refused';
  return error instanceof RpcUnanswered && error.effect === 'none' ? 'no_responder' : 'unanswered';
}
