import { metrics } from '@opentelemetry/api';

/** What is measured of one coalesced function; a record costs a batch about 2 µs, an item nothing. */
export interface BatchMetrics {
  /** A batch has ended, however. */
  ran(items: number, durationMs: number): void;
  /** An item found the queue, or its tenant's share of it, full. */
  refused(): void;
}

const ITEM_BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200];
const SECOND_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5];

/**
 * Measures one coalesced function.
 *
 * @param batch its name, the label of all of it
 * @param queueLength how many items wait now
 */
export function measureBatches(batch: string, queueLength: () => number): BatchMetrics {
  const meter = metrics.getMeter('@switchboard/postgres');
  const labels = { batch };
  const items = meter.createHistogram('switchboard_batch_items', {
    description: 'Items of a batch: how many concurrent calls shared one transaction',
    advice: { explicitBucketBoundaries: ITEM_BOUNDS },
  });
  const duration = meter.createHistogram('switchboard_batch_duration_seconds', {
    description: 'Time of a batch, retries included',
    advice: { explicitBucketBoundaries: SECOND_BOUNDS },
  });
  const refused = meter.createCounter('switchboard_batch_refused_items_total', {
    description: 'Items refused because the queue was full',
  });
  refused.add(0, labels);
  meter
    .createObservableGauge('switchboard_batch_queue_items', { description: 'Items that wait for a batch' })
    .addCallback((result) => result.observe(queueLength(), labels));
  return {
    ran: (count, durationMs) => {
      items.record(count, labels);
      duration.record(durationMs / 1_000, labels);
    },
    refused: () => refused.add(1, labels),
  };
}
