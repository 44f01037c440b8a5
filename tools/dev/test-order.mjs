import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const recordFile = join(root, '.cache', 'jest', 'durations.json');
/** Where no run has been recorded yet. Seconds; the last worker to end should not be alone with a long file. */
const usual = [
  [/^tools\/chaos\/.*\.e2e\.ts$/, 90],
  [/\.e2e\.ts$/, 30],
  [/\.int\.ts$/, 5],
  [/./, 1],
];

/**
 * The order of test files: the longest first, by what they took in the last runs of this checkout, so that the workers
 * end at about the same time. With `SWITCHBOARD_TEST_ORDER=<seed>` in an order drawn from that seed: no file may need
 * another before it.
 */
export default class TestOrder {
  sort(tests) {
    const seed = process.env.SWITCHBOARD_TEST_ORDER;
    const recorded = readRecord();
    const weightOf = ({ path }) => {
      const name = relative(root, path);
      return seed ? hash(`${seed} ${name}`) : (recorded[name] ?? usual.find(([pattern]) => pattern.test(name))[1]);
    };
    return [...tests].sort((a, b) => weightOf(b) - weightOf(a) || a.path.localeCompare(b.path));
  }

  /** Called by Jest with the results of a run. */
  cacheResults(_tests, { testResults }) {
    const taken = testResults.map(({ testFilePath, perfStats: { start, end } }) => [
      relative(root, testFilePath),
      (end - start) / 1_000,
    ]);
    mkdirSync(dirname(recordFile), { recursive: true });
    writeFileSync(recordFile, JSON.stringify({ ...readRecord(), ...Object.fromEntries(taken) }));
  }
}

function readRecord() {
  try {
    return JSON.parse(readFileSync(recordFile, 'utf8'));
  } catch {
    return {}; // none yet, or half written: the order is a matter of time alone
  }
}

/** FNV-1a. */
function hash(text) {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ character.codePointAt(0), 0x01000193) >>> 0;
  return value;
}
