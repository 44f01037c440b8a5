import { metrics } from '@opentelemetry/api';

/** What is counted of outcomes that are not simply known. */
export interface DispatchMetrics {
  /**
   * Outcomes became UNKNOWN: `unanswered`, `abandoned` by a process that is gone, or open in a backup that was `restored`.
   */
  unknown(cause: 'unanswered' | 'abandoned' | 'restored', messages: number): void;
  /** Messages failed because 24 h had passed in that state. */
  expired(state: 'UNKNOWN' | 'RETRY' | 'PACED', messages: number): void;
  /** An outcome was known and could be recorded only later. */
  settledLate(): void;
  /** An attempt was not made, as the channel's access token does not open. */
  tokenUnreadable(): void;
}

let made: DispatchMetrics | undefined;

/** Made when first used, and that is after the process began to measure. */
export function dispatchMetrics(): DispatchMetrics {
  return (made ??= makeDispatchMetrics());
}

function makeDispatchMetrics(): DispatchMetrics {
  const meter = metrics.getMeter('@switchboard/messaging');
  const unknown = meter.createCounter('switchboard_messages_unknown_total', {
    description: 'Messages whose outcome at the upstream became UNKNOWN; none in healthy operation',
  });
  const expired = meter.createCounter('switchboard_messages_expired_total', {
    description: 'Messages failed after 24 h, by the state in which they were open',
  });
  const late = meter.createCounter('switchboard_dispatches_settled_late_total', {
    description: 'Known outcomes that could not be recorded at once and were recorded later',
  });
  const unreadable = meter.createCounter('switchboard_tokens_unreadable_total', {
    description: "Attempts that were not made, as the channel's access token does not open; the messages wait",
  });
  for (const cause of ['unanswered', 'abandoned', 'restored']) unknown.add(0, { cause });
  for (const state of ['UNKNOWN', 'RETRY', 'PACED']) expired.add(0, { state });
  late.add(0);
  unreadable.add(0);
  return {
    unknown: (cause, messages) => unknown.add(messages, { cause }),
    expired: (state, messages) => expired.add(messages, { state }),
    settledLate: () => late.add(1),
    tokenUnreadable: () => unreadable.add(1),
  };
}
