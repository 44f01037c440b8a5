import { describe, expect, it } from '@jest/globals';
import { onOneDay } from './on-one-day.js';

const MIDNIGHT = Date.parse('2026-12-01T00:00:00Z');

/** A body that fails the first times and takes some milliseconds. */
function run(spec: { readonly beginsAt: number; readonly takesMs: number; readonly failures: number }) {
  let now = spec.beginsAt;
  let runs = 0;
  const body = async (): Promise<void> => {
    now += spec.takesMs;
    if (++runs <= spec.failures) throw new Error(`of run ${runs}`);
  };
  return onOneDay(body, () => now)().then(
    () => ({ runs }),
    (error: Error) => ({ runs, failed: error.message }),
  );
}

describe('a test on one day', () => {
  it('runs again where it failed over a midnight, once', async () => {
    const over = { beginsAt: MIDNIGHT - 1, takesMs: 1 };
    expect(await run({ ...over, failures: 1 })).toEqual({ runs: 2 });
    expect(await run({ ...over, failures: 2 })).toEqual({ runs: 2, failed: 'of run 2' });
    expect(await run({ ...over, failures: 0 })).toEqual({ runs: 1 });
  });

  it('fails at once within a day', async () => {
    expect(await run({ beginsAt: MIDNIGHT, takesMs: 1, failures: 1 })).toEqual({ runs: 1, failed: 'of run 1' });
    expect(await run({ beginsAt: MIDNIGHT - 2, takesMs: 1, failures: 1 })).toEqual({ runs: 1, failed: 'of run 1' });
  });
});
