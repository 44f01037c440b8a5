import { context, ROOT_CONTEXT, SpanStatusCode, trace, type SpanContext } from '@opentelemetry/api';
import type { Waiting } from './settle-batch.js';

const tracer = trace.getTracer('@switchboard/postgres');

/** Runs a batch in a span that is a child of its first traced item and is linked with the others. */
export async function traceBatch<I, O, Result>(
  name: string,
  batch: readonly Waiting<I, O>[],
  settle: () => Promise<Result>,
): Promise<Result> {
  const traced = batch.filter(({ context: own }) => trace.getSpan(own)?.isRecording());
  const first = traced[0];
  if (!first) return context.with(ROOT_CONTEXT, settle);
  const links = traced.slice(1).flatMap(({ context: own }) => linkOf(trace.getSpanContext(own)));
  const attributes = { 'batch.items': batch.length };
  const span = tracer.startSpan(`batch ${name}`, { links, attributes }, first.context);
  try {
    return await context.with(trace.setSpan(first.context, span), settle);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

function linkOf(spanContext: SpanContext | undefined): { context: SpanContext }[] {
  return spanContext ? [{ context: spanContext }] : [];
}
