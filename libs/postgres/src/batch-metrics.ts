import { metrics } from '@opentelemetry/api';

/** What is measured of one coalesced function; a record costs a batch about 2 µs, an item nothing. */
export interface BatchMetrics {
  /** A batch has ended, however. */
  ran(items: number, durationMs: number): void;
  /** An item found the queue, or its tenant's share of it, full. */
  refused(): void;
  /** Items timed out, and are to be run again apart. */
  timedOut(items: number): void;
}

const ITEM_BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200];
const SECOND_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5];

/**
 * Measures one coalesced function.
 *
 * @param batch its name, the label of all of it
 * @param queue how many items wait now, and how many tenants and serial keys are set apart
 */
export function measureBatches(
  batch: string,
  queue: { readonly length: number; readonly apartCount: number },
): BatchMetrics {
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
    .addCallback((result) => result.observe(queue.length, labels));
  const timedOut = meter.createCounter('switchboard_batch_timed_out_items_total', {
    description:
      'Items whose transaction gave up a lock or ran out of time, each time it did; they are run again apart',
  });
  timedOut.add(0, labels);
  meter
    .createObservableGauge('switchboard_batch_lines_apart', {
      description: 'Organizations and serial keys that wait for a lock, in batches of their own',
    })
    .addCallback((result) => result.observe(queue.apartCount, labels));
  return {
    ran: (count, durationMs) => {
      items.record(count, labels);
      duration.record(durationMs / 1_000, labels);
    },
    refused: () => refused.add(1, labels),
    timedOut: (count) => timedOut.add(count, labels),
  };
}
