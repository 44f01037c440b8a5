import { startTelemetry, type FinishedSpan, type SpanProcessor } from '@switchboard/platform';

/** The spans of this process since it was made. */
export interface SpanCollector {
  /** Those that have ended, in the order of their ends. */
  readonly spans: readonly FinishedSpan[];
  /** Those with this name. */
  named(name: string): FinishedSpan[];
  clear(): void;
  stop(): Promise<void>;
}

/** Starts tracing with every span kept in memory. Tracing is the process's own: at most one collector per test file. */
export function collectSpans(): SpanCollector {
  const spans: FinishedSpan[] = [];
  const processor: SpanProcessor = {
    onStart: () => undefined,
    onEnd: (span) => void spans.push(span),
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  const stop = startTelemetry('test', { endpoint: null, sampler: 'always_on', samplerArgument: 1 }, processor);
  return {
    spans,
    named: (name) => spans.filter((span) => span.name === name),
    clear: () => void spans.splice(0),
    stop,
  };
}
