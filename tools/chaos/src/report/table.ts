import type { ChaosResult } from '../run-chaos.js';

const COLUMNS = [
  'fault',
  'points',
  'sends',
  '2xx',
  '4xx',
  '5xx',
  'reset',
  'no connection',
  'events',
  'lost',
  'doubled',
  'false 2xx',
  'unknown',
  'back p50 / max ms',
  'longest ms',
  'took s',
  'verdict',
] as const;

/** Whether the fault kept its promise; one that this machine cannot bring about breaks none. */
export function isKept({ outcome }: ChaosResult): boolean {
  return 'notRun' in outcome || outcome.findings.length === 0;
}

/** The results as a table in Markdown. */
export function tableOf(results: readonly ChaosResult[]): string {
  const rows = results.map(rowOf);
  return [COLUMNS.join(' | '), COLUMNS.map(() => '---').join(' | '), ...rows.map((cells) => cells.join(' | '))]
    .map((line) => `| ${line} |`)
    .join('\n');
}

function rowOf(result: ChaosResult): readonly (string | number)[] {
  const { name, outcome } = result;
  if ('notRun' in outcome) return [name, ...COLUMNS.slice(2).map(() => ''), `not run here: ${outcome.notRun}`];
  const { tally, points, recoveriesMs, note } = outcome;
  const counts = [
    tally.sends,
    tally.succeeded,
    tally.refused,
    tally.failed,
    tally.unanswered,
    tally.unconnected,
    tally.events,
  ];
  const wrong = [tally.lost, tally.doubled, tally.falseSuccesses, tally.unknown + tally.inDoubt];
  const verdict = isKept(result) ? 'kept' : `BROKEN (${outcome.findings.length})`;
  const tookS = Math.round(result.durationMs / 1_000);
  return [
    name,
    points,
    ...counts,
    ...wrong,
    recovery(recoveriesMs),
    tally.longestMs,
    tookS,
    note === '' ? verdict : `${verdict}; ${note}`,
  ];
}

function recovery(recoveriesMs: readonly number[]): string {
  if (recoveriesMs.length === 0) return '';
  const sorted = recoveriesMs.toSorted((a, b) => a - b);
  return `${sorted[Math.floor((sorted.length - 1) / 2)]} / ${sorted.at(-1)}`;
}
