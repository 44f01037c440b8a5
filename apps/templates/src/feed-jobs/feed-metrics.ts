import { metrics } from '@opentelemetry/api';

/** What is measured of feeding. */
export interface FeedMetrics {
  /** A job was looked at so long after it was due. */
  looked(lateMs: number): void;
  /** So many recipients were handed over to messaging. */
  handedOver(recipients: number): void;
  /** A look at a job failed. */
  failed(): void;
}

/** A lane holds 3 s of its job's rate: a look that is later than that leaves a gap. */
const SECOND_BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 10, 60];

let made: FeedMetrics | undefined;

/** Made when first used, and that is after the process began to measure. */
export function feedMetrics(): FeedMetrics {
  return (made ??= makeFeedMetrics());
}

function makeFeedMetrics(): FeedMetrics {
  const meter = metrics.getMeter('@switchboard/templates');
  const late = meter.createHistogram('switchboard_job_feed_lateness_seconds', {
    description: 'Time from when a job was due to be fed until a replica took it',
    advice: { explicitBucketBoundaries: SECOND_BOUNDS },
  });
  const recipients = meter.createCounter('switchboard_job_recipients_handed_over_total', {
    description: 'Recipients of jobs that were handed over to messaging',
  });
  const failures = meter.createCounter('switchboard_job_feed_failures_total', {
    description: 'Looks at a job that failed: messaging did not answer, or refused',
  });
  recipients.add(0);
  failures.add(0);
  return {
    looked: (lateMs) => late.record(Math.max(lateMs, 0) / 1_000),
    handedOver: (count) => recipients.add(count),
    failed: () => failures.add(1),
  };
}
