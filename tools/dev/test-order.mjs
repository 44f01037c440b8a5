import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const recordFile = join(root, '.cache', 'jest', 'durations.json');
/** Where no run has been recorded yet, in seconds. */
const usual = [
  [/^tools\/chaos\/.*\.e2e\.ts$/, 175],
  [/\/(fences|two-gateways|console|console-work)\.e2e\.ts$/, 90],
  [/\/(erasure|reference|testing-page)\.e2e\.ts$|\/service\.generator\.int\.ts$/, 75],
  [/\/(canaries|four-gateways|send-message|wake-snoozed)\.e2e\.ts$/, 50],
  [/\/(events|operate|analytics-recount|start-stack)\.e2e\.ts$|\/(rules|under-load|serving)\.int\.ts$/, 35],
  [/\.e2e\.ts$|\/(metrics|lane-orders|pull-consumer|locked-consumers|isolation|replay-and-feed)\.int\.ts$/, 20],
  [/\.int\.ts$/, 5],
  [/./, 1],
];
/** Most of these start every service and keep more than a core busy; the others wait for a database half of their time. */
const startsStack = /\.e2e\.ts$/;
/** In the text of a file that uses the stack which the files of its worker share. */
const usesSharedStack = /\bsharedStack\(\)/;
/** Read by libs/testing/src/testing.config.ts: the shared stacks end when so many files have used them. */
const STACK_FILES_KEY = 'SWITCHBOARD_TEST_STACK_FILES';

/**
 * The order of test files. Those that start a stack and the others are mixed so that about as many of each run at a time; of
 * both the longest come first, by what they took in the last runs of this checkout, so that the workers end at about the
 * same time. Of those with a stack, those that share it come behind the others: they are short, and it runs for no longer than
 * they need it.
 * With `SWITCHBOARD_TEST_ORDER=<seed>` in an order drawn from that seed: no file may need another before it.
 */
export default class TestOrder {
  sort(tests) {
    const seed = process.env.SWITCHBOARD_TEST_ORDER;
    const weightOf = seed ? (name) => hash(`${seed} ${name}`) : durationOf(readRecord());
    const weighed = tests
      .map((test) => ({ test, name: relative(root, test.path) }))
      .map((one) => ({ ...one, weight: weightOf(one.name), isSharing: isSharing(one.test.path) }))
      .sort((a, b) => b.weight - a.weight || a.name.localeCompare(b.name));
    process.env[STACK_FILES_KEY] = String(weighed.filter((one) => one.isSharing).length);
    return (seed ? weighed : mixed(weighed)).map(({ test }) => test);
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

function durationOf(recorded) {
  return (name) => recorded[name] ?? usual.find(([pattern]) => pattern.test(name))[1];
}

function isSharing(path) {
  return startsStack.test(path) && usesSharedStack.test(readFileSync(path, 'utf8'));
}

/** Two lists in one, by the moment at which each file would begin if a worker took each list alone. */
function mixed(files) {
  const begins = (list) => {
    let free = 0;
    return list.map((file) => {
      const begin = free;
      free += file.weight;
      return { ...file, begin };
    });
  };
  const withStack = files.filter(({ name }) => startsStack.test(name));
  const stacks = begins([false, true].flatMap((wanted) => withStack.filter(({ isSharing }) => isSharing === wanted)));
  const others = begins(files.filter(({ name }) => !startsStack.test(name)));
  return [...stacks, ...others].sort((a, b) => a.begin - b.begin);
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
