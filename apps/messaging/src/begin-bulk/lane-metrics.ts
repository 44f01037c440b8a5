import { metrics } from '@opentelemetry/api';
import type { UpstreamOutcome } from '../upstream/upstream.js';
import type { LaneClaim } from './claim-lanes.js';

/** What is measured of lanes. */
export interface LaneMetrics {
  claimed(claim: LaneClaim): void;
  claimEnded(durationMs: number): void;
  attempted(outcome: UpstreamOutcome['state']): void;
}

const SECOND_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
const STATES: readonly UpstreamOutcome['state'][] = ['accepted', 'refused', 'not-taken', 'unknown'];

let made: LaneMetrics | undefined;

/** Made when first used, and that is after the process began to measure. */
export function laneMetrics(): LaneMetrics {
  return (made ??= makeLaneMetrics());
}

function makeLaneMetrics(): LaneMetrics {
  const meter = metrics.getMeter('@switchboard/messaging');
  const attempts = meter.createCounter('switchboard_lane_attempts_total', {
    description: 'Attempts of bulk sends, by what came of them',
  });
  for (const outcome of STATES) attempts.add(0, { outcome });
  const skipped = meter.createCounter('switchboard_lane_skipped_total', {
    description: 'Recipients of bulk sends that were skipped when their turn came',
  });
  skipped.add(0);
  const duration = meter.createHistogram('switchboard_lane_claim_duration_seconds', {
    description: 'Time of a claim of lanes, an empty one included',
    advice: { explicitBucketBoundaries: SECOND_BOUNDS },
  });
  return {
    claimed: (claim) => skipped.add(claim.skipped),
    claimEnded: (durationMs) => duration.record(durationMs / 1_000),
    attempted: (outcome) => attempts.add(1, { outcome }),
  };
}
