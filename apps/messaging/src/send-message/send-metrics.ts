import { metrics } from '@opentelemetry/api';
import type { UpstreamOutcome } from '../upstream/upstream.js';

/** What is measured of sends. */
export interface SendMetrics {
  /** A stored message was answered; `slow`: not by the upstream within 5 s; `waiting`: it goes after earlier ones. */
  answered(outcome: UpstreamOutcome['state'] | 'slow' | 'waiting', durationMs: number): void;
  /** The quota did not hold a message any more. */
  quotaRefused(): void;
}

const SECOND_BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The instruments of this process. */
export function sendMetrics(): SendMetrics {
  const meter = metrics.getMeter('@switchboard/messaging');
  const refused = meter.createCounter('switchboard_quota_refused_messages_total', {
    description: "Messages refused because the month's quota of their organization was used up",
  });
  refused.add(0);
  const duration = meter.createHistogram('switchboard_send_duration_seconds', {
    description: 'Time from a send to its answer, both commits and the upstream included, by what came of it',
    advice: { explicitBucketBoundaries: SECOND_BOUNDS },
  });
  return {
    answered: (outcome, durationMs) => duration.record(durationMs / 1_000, { outcome }),
    quotaRefused: () => refused.add(1),
  };
}
