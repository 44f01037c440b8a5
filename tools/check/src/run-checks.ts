import type { Check } from './check.js';
import type { Sources } from './sources.js';

/**
 * Runs the checks one after the other, each to its end, and prints a line for each and one for every problem.
 *
 * A check that throws has failed and stops none of the others.
 *
 * @returns the number of problems found in all.
 */
export async function runChecks(
  checks: readonly Check[],
  sources: Sources,
  print: (line: string) => void,
): Promise<number> {
  const startedAt = performance.now();
  let total = 0;
  for (const check of checks) {
    const checkStartedAt = performance.now();
    const problems = await outcomeOf(check, sources);
    total += problems.length;
    const verdict =
      problems.length === 0 ? 'ok' : `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
    print(`${check.name.padEnd(24)} ${seconds(checkStartedAt)}  ${verdict}`);
    for (const problem of problems) print(`  ${problem}`);
  }
  print(
    `${total === 0 ? 'all checks hold' : `${total} ${total === 1 ? 'problem' : 'problems'}`}, ${seconds(startedAt).trim()}`,
  );
  return total;
}

async function outcomeOf(check: Check, sources: Sources): Promise<readonly string[]> {
  try {
    return await check.run(sources);
  } catch (error) {
    return [`the check itself failed: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`.padStart(7);
}
