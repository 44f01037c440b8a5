import { setTimeout as wait } from 'node:timers/promises';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { errorByCode } from '@switchboard/contracts/error-registry';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { RpcDefinition, RpcReply } from '@switchboard/contracts/grammar/define-rpc';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { errors, type NatsConnection } from '@nats-io/transport-node';
import { traceHeaders } from './trace-headers.js';

/** Header with the milliseconds that the caller will wait; relative, because clocks differ. */
export const DEADLINE_HEADER = 'Switchboard-Deadline-Ms';

/** What is on the wire in an rpc. */
export interface RpcMessage<Request> {
  readonly principal: Principal;
  readonly request: Request;
}

/**
 * No answer came. `unknown`: the request was delivered to somebody and may have had its effect; ask again by your own
 * id. `none`: nobody took it, nothing happened.
 */
export class RpcUnanswered extends Error {
  constructor(
    readonly subject: string,
    readonly effect: 'none' | 'unknown',
    cause: unknown,
  ) {
    super(`${subject} was not answered (effect: ${effect})`, { cause });
    this.name = 'RpcUnanswered';
  }
}

const tracer = trace.getTracer('@switchboard/nats');
/** How long a call waits for a service that is restarting: nobody took the request, so asking again is safe. */
const ABSENCE_MAX_MS = 4_000;

/** Calls other services by request/reply, with a deadline, the tenant and the trace. */
export class RpcClient {
  constructor(private readonly connection: NatsConnection) {}

  /**
   * @param deadlineMs how long to wait for the answer; the rpc's own by default
   * @throws AppError as the service refused it; RpcUnanswered
   */
  async call<Request, Response>(
    rpc: RpcDefinition<Request, Response>,
    principal: Principal,
    request: Request,
    deadlineMs: number = rpc.deadlineMs,
  ): Promise<Response> {
    const parent = trace.getSpan(context.active());
    if (!parent?.isRecording()) return this.ask(rpc, principal, request, deadlineMs);
    const span = tracer.startSpan(rpc.subject, {
      kind: SpanKind.CLIENT,
      attributes: { 'rpc.system.name': 'nats', 'rpc.method': rpc.subject },
    });
    try {
      return await context.with(trace.setSpan(context.active(), span), () =>
        this.ask(rpc, principal, request, deadlineMs),
      );
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
    deadlineMs: number,
  ): Promise<Response> {
    const message: RpcMessage<Request> = { principal, request };
    const payload = JSON.stringify(message);
    const headers = traceHeaders();
    headers.set(DEADLINE_HEADER, String(deadlineMs));
    const startedMs = performance.now();
    for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 2, 400)) {
      try {
        const answer = await this.connection.request(rpc.subject, payload, { timeout: deadlineMs, headers });
        return openReply(answer.json<RpcReply<Response>>());
      } catch (error) {
        if (error instanceof AppError) throw error;
        const nobodyTookIt = isNoResponder(error);
        const waitedMs = performance.now() - startedMs;
        if (!nobodyTookIt || waitedMs + pauseMs > Math.min(ABSENCE_MAX_MS, deadlineMs)) {
          throw new RpcUnanswered(rpc.subject, nobodyTookIt ? 'none' : 'unknown', error);
        }
        await wait(pauseMs * (0.75 + Math.random() / 2));
      }
    }
  }
}

function openReply<Response>(reply: RpcReply<Response>): Response {
  if ('ok' in reply) return reply.ok;
  const { code, message, ...details } = reply.error;
  throw new AppError(errorByCode(code), message, details);
}

function isNoResponder(error: unknown): boolean {
  return error instanceof errors.NoRespondersError || (error instanceof errors.RequestError && error.isNoResponders());
}
