import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  TracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import type { TelemetryConfig } from './telemetry.config.js';

/** A span that has ended, as processors get it. */
export type FinishedSpan = ReadableSpan;

/** Flushes and ends the export of traces. */
export type StopTelemetry = () => Promise<void>;

/**
 * Starts tracing for the process: ids and propagation always, export by OTLP over HTTP when the standard variables name
 * an endpoint. Call it before anything makes a span.
 *
 * @param processor takes the spans instead of the export: for tests, and for another way out than OTLP
 */
export function startTelemetry(service: string, config: TelemetryConfig, processor?: SpanProcessor): StopTelemetry {
  const exporting = config.endpoint !== null || processor !== undefined;
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': service })),
    // Without an endpoint nothing records; trace ids still travel.
    sampler: exporting ? samplerOf(config) : new AlwaysOffSampler(),
    spanProcessors: exporting ? [processor ?? exportInBatches(config)] : [],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return () => provider.shutdown();
}

function exportInBatches({ batch }: TelemetryConfig): SpanProcessor {
  return new BatchSpanProcessor({ ...batch, exporter: new OTLPTraceExporter() });
}

/** The samplers of the OpenTelemetry specification's OTEL_TRACES_SAMPLER; 10 % of new traces by default. */
function samplerOf({ sampler, samplerArgument }: TelemetryConfig): Sampler {
  const ratio = new TraceIdRatioBasedSampler(samplerArgument);
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return ratio;
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    default:
      return new ParentBasedSampler({ root: ratio });
  }
}

export type { SpanProcessor };
