import { metrics } from '@opentelemetry/api';

/** How a run ended. */
const syncOutcomes = ['completed', 'not-connected', 'unavailable', 'failed', 'superseded', 'stopped'] as const;
/** One of `syncOutcomes`. */
export type SyncOutcome = (typeof syncOutcomes)[number];

/** What is measured of synchronisations. */
export interface SyncMetrics {
  ended(outcome: SyncOutcome, durationMs: number): void;
}

/** From one small page to thousands of templates of a slow upstream. */
const SECOND_BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

let made: SyncMetrics | undefined;

/** Made when first used, and that is after the process began to measure. */
export function syncMetrics(): SyncMetrics {
  return (made ??= makeSyncMetrics());
}

function makeSyncMetrics(): SyncMetrics {
  const meter = metrics.getMeter('@switchboard/templates');
  const syncs = meter.createCounter('switchboard_template_syncs_total', {
    description: 'Runs that synchronised the templates of a business account, by how they ended',
  });
  for (const outcome of syncOutcomes) syncs.add(0, { outcome });
  const duration = meter.createHistogram('switchboard_template_sync_duration_seconds', {
    description: 'Time of a run from its lease to its end, by how it ended',
    advice: { explicitBucketBoundaries: SECOND_BOUNDS },
  });
  return {
    ended: (outcome, durationMs) => {
      syncs.add(1, { outcome });
      duration.record(durationMs / 1_000, { outcome });
    },
  };
}
