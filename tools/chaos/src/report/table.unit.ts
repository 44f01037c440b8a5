import { describe, expect, it } from '@jest/globals';
import { EMPTY_TALLY } from '../audit/audit.js';
import type { ChaosResult } from '../run-chaos.js';
import { isKept, tableOf } from './table.js';

const KEPT: ChaosResult = {
  name: 'kill-messaging',
  promise: '',
  seed: 1,
  durationMs: 2_400,
  outcome: { points: 3, tally: { ...EMPTY_TALLY, sends: 7 }, findings: [], recoveriesMs: [30, 10, 20], note: 'noted' },
};
const BROKEN: ChaosResult = {
  ...KEPT,
  outcome: { ...KEPT.outcome, findings: [{ rule: 'message.lost', detail: '' }], note: '' } as ChaosResult['outcome'],
};
const NOT_RUN: ChaosResult = { ...KEPT, outcome: { notRun: 'no mount' } };

/** Rows by the names of their columns. */
function rowsOf(results: readonly ChaosResult[]): Record<string, string>[] {
  const [head = [], , ...rows] = tableOf(results)
    .split('\n')
    .map((line) => line.slice(2, -2).split(' | '));
  for (const row of rows) expect(row).toHaveLength(head.length);
  return rows.map((row) => Object.fromEntries(row.map((cell, index) => [head[index] ?? '', cell])));
}

describe('the table', () => {
  it('has a cell for every column, whatever came of a fault', () => {
    const [kept, broken, notRun] = rowsOf([KEPT, BROKEN, NOT_RUN]);
    expect(kept).toMatchObject({ sends: '7', 'back p50 / max ms': '20 / 30', 'took s': '2', verdict: 'kept; noted' });
    expect([broken?.['verdict'], notRun?.['verdict']]).toEqual(['BROKEN (1)', 'not run here: no mount']);
  });

  it('calls a promise broken for one finding, and not for a fault that could not be run', () => {
    expect([KEPT, BROKEN, NOT_RUN].map(isKept)).toEqual([true, false, true]);
  });
});
