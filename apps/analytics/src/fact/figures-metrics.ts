import { metrics } from '@opentelemetry/api';

/** What is measured of figures. */
export interface FiguresMetrics {
  /** A batch of events is about to be counted. @param ageMs of the oldest of them, since it was committed */
  counted(ageMs: number): void;
  /** A piece of a rebuild was committed. */
  corrected(facts: number, counts: number): void;
}

/** The alert FiguresLate uses 60.5, which is no whole number: Prometheus 3 stores those in another form (`le="60.0"`). */
const SECOND_BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60.5, 600, 3_600];

let made: FiguresMetrics | undefined;

/** Made when first used, and that is after the process began to measure. */
export function figuresMetrics(): FiguresMetrics {
  return (made ??= makeFiguresMetrics());
}

function makeFiguresMetrics(): FiguresMetrics {
  const meter = metrics.getMeter('@switchboard/analytics');
  const lateness = meter.createHistogram('switchboard_figures_lateness_seconds', {
    description: 'Age of the oldest event of a batch when it is counted: how far figures are behind the messages',
    advice: { explicitBucketBoundaries: SECOND_BOUNDS },
  });
  const corrections = meter.createCounter('switchboard_figures_corrected_total', {
    description: 'What rebuilds have found otherwise than messaging has it, by what it is',
  });
  corrections.add(0, { of: 'fact' });
  corrections.add(0, { of: 'count' });
  return {
    counted: (ageMs) => lateness.record(Math.max(0, ageMs) / 1_000),
    corrected: (facts, counts) => {
      if (facts > 0) corrections.add(facts, { of: 'fact' });
      if (counts > 0) corrections.add(counts, { of: 'count' });
    },
  };
}
