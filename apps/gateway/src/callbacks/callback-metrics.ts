import { metrics } from '@opentelemetry/api';

/** What is counted of the upstream's callbacks. */
export interface CallbackMetrics {
  /** A callback is committed. */
  taken(): void;
  /** Items of it that are not in the shape that was agreed. */
  oddItems(items: number): void;
}

/** The counters of this process, shown as 0 from the start. */
export function callbackMetrics(): CallbackMetrics {
  const meter = metrics.getMeter('@switchboard/gateway');
  const taken = meter.createCounter('switchboard_callbacks_taken_total', {
    description: 'Callbacks of the upstream that were verified and committed',
  });
  const odd = meter.createCounter('switchboard_callback_odd_items_total', {
    description:
      'Items of callbacks that are not in the shape, or the size, that was agreed; each becomes a dead letter of its own',
  });
  for (const counter of [taken, odd]) counter.add(0);
  return {
    taken: () => taken.add(1),
    oddItems: (items) => odd.add(items),
  };
}
