import { metrics } from '@opentelemetry/api';

/** What a relay counts. */
export interface RelayMetrics {
  published(events: number): void;
  /** What the broker did not answer; it is tried again. */
  failed(events: number): void;
  /** The broker's stream was another than the one published to. */
  streamLost(): void;
  /** The broker's stream holds events that the database does not. */
  databaseRestored(): void;
}

/** The counters of this process's relay, shown as 0 from the start: a rise from nothing is no rise to Prometheus. */
export function relayMetrics(): RelayMetrics {
  const meter = metrics.getMeter('@switchboard/outbox');
  const published = meter.createCounter('switchboard_outbox_published_events_total', {
    description: 'Events that the broker has stored',
  });
  const failed = meter.createCounter('switchboard_outbox_publish_failures_total', {
    description: 'Publications and looks at the stream that the broker did not answer; each is tried again',
  });
  const lost = meter.createCounter('switchboard_outbox_lost_streams_total', {
    description: 'Times that the stream was found lost and what is kept was published again',
  });
  const restored = meter.createCounter('switchboard_outbox_restored_databases_total', {
    description: 'Times that the stream was found to hold events that the database does not',
  });
  for (const counter of [published, failed, lost, restored]) counter.add(0);
  return {
    published: (events) => published.add(events),
    failed: (events) => failed.add(events),
    streamLost: () => lost.add(1),
    databaseRestored: () => restored.add(1),
  };
}
