import { metrics } from '@opentelemetry/api';

/**
 * What became of a delivered event. `ignored`: it changes nothing here; `duplicate`: applied before; `waiting`: what it speaks
 * of is not here yet; `failed`: given back, to come again; `dead`: given up.
 */
export type EventOutcome = 'applied' | 'ignored' | 'duplicate' | 'waiting' | 'failed' | 'dead';

/** What is measured of consumers. */
export interface ConsumerMetrics {
  /** Shows a consumer's counters as 0 from its start: a rise from nothing is no rise to Prometheus. */
  declare(consumer: string): void;
  handled(consumer: string, outcome: EventOutcome, events: number): void;
  /** A transaction over a batch has ended, however. */
  ran(consumer: string, events: number, durationMs: number): void;
}

const OUTCOMES: readonly EventOutcome[] = ['applied', 'ignored', 'duplicate', 'waiting', 'failed', 'dead'];
const EVENT_BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200];
const SECOND_BOUNDS = [0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10];

let made: ConsumerMetrics | undefined;

/** Made when first used: an instrument made while modules are loaded comes before the process measures. */
export function consumerMetrics(): ConsumerMetrics {
  return (made ??= makeConsumerMetrics());
}

function makeConsumerMetrics(): ConsumerMetrics {
  const meter = metrics.getMeter('@switchboard/outbox');
  const events = meter.createCounter('switchboard_consumer_events_total', {
    description: 'Delivered events by what became of them',
  });
  const batch = meter.createHistogram('switchboard_consumer_batch_events', {
    description: 'Events of a batch that was applied in one transaction',
    advice: { explicitBucketBoundaries: EVENT_BOUNDS },
  });
  const duration = meter.createHistogram('switchboard_consumer_batch_duration_seconds', {
    description: 'Time of a batch, what it asks of other services included',
    advice: { explicitBucketBoundaries: SECOND_BOUNDS },
  });
  return {
    declare: (consumer) => {
      for (const outcome of OUTCOMES) events.add(0, { consumer, outcome });
    },
    handled: (consumer, outcome, count) => {
      if (count > 0) events.add(count, { consumer, outcome });
    },
    ran: (consumer, count, durationMs) => {
      batch.record(count, { consumer });
      duration.record(durationMs / 1_000, { consumer });
    },
  };
}
