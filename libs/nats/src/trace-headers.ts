import { context, isSpanContextValid, propagation, ROOT_CONTEXT, trace, type Context } from '@opentelemetry/api';
import { headers, type MsgHdrs } from '@nats-io/transport-node';

const FORMAT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Headers that carry the active trace (W3C `traceparent`). */
export function traceHeaders(from: Context = context.active()): MsgHdrs {
  const carrier = headers();
  propagation.inject(from, carrier, { set: (target, key, value) => target.set(key, value) });
  return carrier;
}

/** The context of the sender, or the one given when the message carries none. */
export function contextOfHeaders(carrier: MsgHdrs | undefined, base: Context): Context {
  if (!carrier) return base;
  return propagation.extract(base, carrier, {
    get: (source, key) => source.get(key) || undefined,
    keys: (source) => source.keys(),
  });
}

/** The active span as a W3C `traceparent`, for rows that outlive the request; null outside of a trace. */
export function activeTraceparent(): string | null {
  return traceparentOf(context.active());
}

/** A context's span as a W3C `traceparent`; null outside of a trace. */
export function traceparentOf(from: Context): string | null {
  const span = trace.getSpanContext(from);
  if (!span || !isSpanContextValid(span)) return null;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

/** The context that a stored `traceparent` stands for. */
export function contextOfTraceparent(traceparent: string | null): Context {
  const [, traceId, spanId, flags] = FORMAT.exec(traceparent ?? '') ?? [];
  if (!traceId || !spanId || !flags) return ROOT_CONTEXT;
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, spanContext);
}
