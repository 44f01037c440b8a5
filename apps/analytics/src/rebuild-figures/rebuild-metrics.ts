import { metrics } from '@opentelemetry/api';

/** What is counted of rebuilds. */
export interface RebuildMetrics {
  /** A piece of a rebuild was committed. */
  corrected(facts: number, counts: number): void;
}

let made: RebuildMetrics | undefined;

/** Made when first used, and that is after the process began to measure. */
export function rebuildMetrics(): RebuildMetrics {
  return (made ??= makeRebuildMetrics());
}

function makeRebuildMetrics(): RebuildMetrics {
  const corrections = metrics.getMeter('@switchboard/analytics').createCounter('switchboard_figures_corrected_total', {
    description: 'What rebuilds have found otherwise than messaging has it, by what it is',
  });
  corrections.add(0, { of: 'fact' });
  corrections.add(0, { of: 'count' });
  return {
    corrected: (facts, counts) => {
      if (facts > 0) corrections.add(facts, { of: 'fact' });
      if (counts > 0) corrections.add(counts, { of: 'count' });
    },
  };
}
