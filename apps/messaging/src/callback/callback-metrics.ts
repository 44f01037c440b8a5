import { metrics } from '@opentelemetry/api';

/** Why an item of a callback changes nothing: nothing is wrong with it. */
const ignoredReasons = [
  'unknown-line',
  'unknown-status',
  'unknown-message',
  'unknown-preference',
  'system-message',
  'upstream-error',
  'other-field',
] as const;
/** One of `ignoredReasons`. */
export type IgnoredReason = (typeof ignoredReasons)[number];

/** What is counted of callbacks that change nothing. */
export interface CallbackMetrics {
  /** @param items 1 by default */
  ignored(reason: IgnoredReason, items?: number): void;
}

let made: CallbackMetrics | undefined;

/** Made when first used, and that is after the process began to measure. */
export function callbackMetrics(): CallbackMetrics {
  return (made ??= makeCallbackMetrics());
}

function makeCallbackMetrics(): CallbackMetrics {
  const ignored = metrics.getMeter('@switchboard/messaging').createCounter('switchboard_callback_items_ignored_total', {
    description: 'Items of callbacks that were understood and change nothing, by why',
  });
  for (const reason of ignoredReasons) ignored.add(0, { reason });
  return { ignored: (reason, items = 1) => ignored.add(items, { reason }) };
}
