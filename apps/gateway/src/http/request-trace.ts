import { randomBytes } from 'node:crypto';
import { isSpanContextValid, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Link } from '@opentelemetry/api';
import { contextOfTraceparent } from '@switchboard/nats';
import type { FastifyRequest } from 'fastify';
import type { RequestState } from './request-state.js';
import { servedPath } from './route-table.js';

const tracer = trace.getTracer('@switchboard/gateway');

/**
 * Begins the request's span in a trace of its own, linked to the caller's when it sends a valid `traceparent`: the trace id is
 * `X-Request-Id`, which no two requests share, and whether to record is never the caller's decision.
 *
 * Neither path, query, body nor address is recorded: they may hold phone numbers.
 */
export function beginTrace(request: FastifyRequest): RequestState {
  const route = request.is404 ? undefined : request.routeOptions.url;
  const span = tracer.startSpan(
    route === undefined ? request.method : `${request.method} ${route}`,
    {
      kind: SpanKind.SERVER,
      attributes: { 'http.request.method': request.method, 'http.route': route },
      links: linksOf(request.headers.traceparent),
    },
    ROOT_CONTEXT,
  );
  const spanContext = span.spanContext();
  return {
    startedMs: performance.now(),
    address: addressOf(request),
    path: servedPath(request),
    traceId: isSpanContextValid(spanContext) ? spanContext.traceId : newTraceId(),
    span,
    traceContext: trace.setSpan(ROOT_CONTEXT, span),
    answeredMs: null,
    admittedMs: Number.POSITIVE_INFINITY,
    admitted: null,
    paid: null,
    session: null,
    organizationId: null,
    keyId: null,
    code: null,
    giveBodyUp: null,
    idempotency: null,
  };
}

function addressOf({ ip }: { readonly ip: string | undefined }): string {
  return ip ?? '';
}

/** Ends the request's span with what was answered. */
export function endTrace({ span, code }: RequestState, status: number): void {
  if (span.isRecording()) {
    span.setAttribute('http.response.status_code', status);
    if (code !== null) span.setAttribute('error.type', code);
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** 32 hex digits, for answers that belong to no request. */
export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

function linksOf(traceparent: string | string[] | undefined): Link[] {
  if (typeof traceparent !== 'string') return [];
  const remote = trace.getSpanContext(contextOfTraceparent(traceparent));
  return remote && isSpanContextValid(remote) ? [{ context: remote }] : [];
}
