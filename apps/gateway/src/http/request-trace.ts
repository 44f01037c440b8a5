import { randomBytes } from 'node:crypto';
import {
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
} from '@opentelemetry/api';
import { contextOfTraceparent } from '@switchboard/nats';
import type { TelemetryConfig } from '@switchboard/platform';
import type { FastifyRequest } from 'fastify';
import type { RequestState } from './request-state.js';
import { servedPath } from './route-table.js';

/** Whether a trace that begins or continues here is recorded; never the caller's decision. */
export type SamplingDecision = () => boolean;

/** Token of the `SamplingDecision`. */
export const SAMPLING = Symbol('SamplingDecision');

const tracer = trace.getTracer('@switchboard/gateway');

/**
 * Our own ratio of new traces, whatever the caller's `traceparent` asks for: else any caller could have all of them recorded.
 *
 * @param random 0 to 1, exclusive
 */
export function samplingOf(
  { sampler, samplerArgument }: TelemetryConfig,
  random: () => number = Math.random,
): SamplingDecision {
  const ratio = sampler.endsWith('always_on') ? 1 : sampler.endsWith('always_off') ? 0 : samplerArgument;
  return () => random() < ratio;
}

/**
 * Begins the request's span: within the caller's trace when it sends a valid `traceparent`, else in a new one.
 *
 * Neither path, query, body nor address is recorded: they may hold phone numbers.
 */
export function beginTrace(request: FastifyRequest, isSampled: SamplingDecision): RequestState {
  const route = request.is404 ? undefined : request.routeOptions.url;
  const parent = parentOf(request.headers.traceparent, isSampled);
  const span = tracer.startSpan(
    route === undefined ? request.method : `${request.method} ${route}`,
    { kind: SpanKind.SERVER, attributes: { 'http.request.method': request.method, 'http.route': route } },
    parent,
  );
  const spanContext = span.spanContext();
  return {
    startedMs: performance.now(),
    path: servedPath(request),
    traceId: isSpanContextValid(spanContext) ? spanContext.traceId : newTraceId(),
    span,
    traceContext: trace.setSpan(parent, span),
    answeredMs: null,
    admittedMs: Number.POSITIVE_INFINITY,
    admitted: null,
    paid: null,
    session: null,
    organizationId: null,
    keyId: null,
    code: null,
    idempotency: null,
  };
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

function parentOf(traceparent: string | string[] | undefined, isSampled: SamplingDecision): Context {
  if (typeof traceparent !== 'string') return ROOT_CONTEXT;
  const remote = trace.getSpanContext(contextOfTraceparent(traceparent));
  if (!remote || !isSpanContextValid(remote)) return ROOT_CONTEXT;
  const traceFlags = isSampled() ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { ...remote, traceFlags });
}
