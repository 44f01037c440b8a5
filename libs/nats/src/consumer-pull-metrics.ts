import { metrics, type Counter } from '@opentelemetry/api';

/** What is measured of the pulls of one consumer. */
export interface ConsumerPullMetrics {
  /** A pull has failed: its durable consumer is missing, the user may not pull from it, or a server is away. */
  failed(): void;
  /** A pull has ended. @param left events that the broker held after the newest of it; undefined: not known, and what was last known stays */
  pulled(left: number | undefined): void;
  /** No further pull follows. */
  ended(): void;
}

/** What the broker still holds, by consumer. One whose pulls fail or have ended is in none: its number would stay for ever. */
const backlogs = new Map<string, number>();
let failures: Counter | undefined;

/** Made with a consumer, which shows its failures as 0 from then on: a rise from nothing is no rise to Prometheus. */
export function consumerPullMetrics(consumer: string): ConsumerPullMetrics {
  const counter = (failures ??= makeInstruments());
  counter.add(0, { consumer });
  return {
    failed: () => {
      counter.add(1, { consumer });
      backlogs.delete(consumer);
    },
    pulled: (left) => {
      if (left !== undefined) backlogs.set(consumer, left);
    },
    ended: () => void backlogs.delete(consumer),
  };
}

function makeInstruments(): Counter {
  const meter = metrics.getMeter('@switchboard/nats');
  meter
    .createObservableGauge('switchboard_consumer_backlog_events', {
      description:
        'Events that the broker held for the consumer after the newest that came; 0 when nothing came for 10 s. Of several replicas the largest counts',
    })
    .addCallback((result) => {
      for (const [consumer, left] of backlogs) result.observe(left, { consumer });
    });
  return meter.createCounter('switchboard_consumer_pull_failures_total', {
    description: 'Pulls of events that failed; each is tried again after a second',
  });
}
