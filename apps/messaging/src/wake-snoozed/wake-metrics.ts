import { metrics } from '@opentelemetry/api';

/** What is measured of snoozes. */
export interface WakeMetrics {
  /** A conversation returned to OPEN by itself, so long after its time. */
  woken(lateMs: number): void;
}

/** A snooze ends within 1 s of its time; later ones say how long no replica was running. */
const SECOND_BOUNDS = [0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600];

let made: WakeMetrics | undefined;

/** Made when first used, and that is after the process began to measure. */
export function wakeMetrics(): WakeMetrics {
  return (made ??= makeWakeMetrics());
}

function makeWakeMetrics(): WakeMetrics {
  const late = metrics.getMeter('@switchboard/messaging').createHistogram('switchboard_snooze_lateness_seconds', {
    description:
      'Time from the end of a snooze to the return of its conversation to OPEN; the count is that of returns',
    advice: { explicitBucketBoundaries: SECOND_BOUNDS },
  });
  return { woken: (lateMs) => late.record(Math.max(lateMs, 0) / 1_000) };
}
