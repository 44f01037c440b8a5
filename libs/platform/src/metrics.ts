import { metrics } from '@opentelemetry/api';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { AggregationTemporality, InstrumentType, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import type { Log } from './logger.js';
import { observeProcess } from './process-metrics.js';

/** The metrics of this process. */
export interface Metrics {
  /** All of them as Prometheus text; never rejects for a dependency that is away, whose gauges are then left out. */
  scrape(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts measuring for the process, its memory, CPU and event loop included.
 *
 * Call it before anything that measures is made: OpenTelemetry's API has no proxy for instruments as it has for tracers,
 * so one made earlier counts into nothing for good. That is why none is made when a module is loaded.
 */
export function startMetrics(service: string, log: Log): Metrics {
  const reader = new ScrapeReader();
  const provider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  observeProcess(service);
  // Names carry prefix and unit as they are written in the code; the scrape's target says what a series belongs to.
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  const collect = async (): Promise<string> => {
    const { resourceMetrics, errors } = await reader.collect();
    for (const error of errors) log.error('metrics.observation-failed', error);
    return serializer.serialize(resourceMetrics);
  };
  let underway: Promise<string> | undefined;
  return {
    // One at a time, shared: a second reader would take half of the first one's observations.
    scrape: () => (underway ??= collect().finally(() => (underway = undefined))),
    stop: () => provider.shutdown(),
  };
}

/**
 * Hands over what was measured when it is asked to.
 *
 * Gauges are read as deltas, everything else grows: a cumulative gauge goes on showing what is not observed any more, such
 * as the dead letters of a consumer that has none left, or the backlog of a database that is away.
 */
class ScrapeReader extends MetricReader {
  constructor() {
    super({
      aggregationTemporalitySelector: (type) =>
        type === InstrumentType.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE,
    });
  }

  protected override async onForceFlush(): Promise<void> {}

  protected override async onShutdown(): Promise<void> {}
}
