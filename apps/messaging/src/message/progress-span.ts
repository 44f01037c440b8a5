import { trace } from '@opentelemetry/api';
import { contextOfTraceparent, traceparentOf } from '@switchboard/nats';
import type { Message } from './message.entity.js';
import type { ProgressFact } from './message-progress.policy.js';

const tracer = trace.getTracer('@switchboard/messaging');

/**
 * Where the events of a fact belong: in the trace of the request that sent the message, with a span of their own that is
 * linked with what brought the fact (the upstream starts a trace of its own).
 */
export function progressTraceparent(
  message: Pick<Message, 'traceparent'>,
  report: { readonly fact: ProgressFact; readonly traceparent: string | null },
): string | null {
  const sent = message.traceparent;
  if (!sent || traceIdOf(sent) === traceIdOf(report.traceparent)) return report.traceparent ?? sent;
  const parent = contextOfTraceparent(sent);
  const brought = trace.getSpanContext(contextOfTraceparent(report.traceparent));
  const links = brought ? [{ context: brought }] : [];
  const span = tracer.startSpan(`message ${report.fact.type}`, { links }, parent);
  span.end();
  return traceparentOf(trace.setSpan(parent, span));
}

function traceIdOf(traceparent: string | null): string | undefined {
  return traceparent?.split('-')[1];
}
