import type { Check } from '../check.js';
import { typescriptFiles } from '../sources.js';

const TEST_FILE = /\.(unit|int|e2e)\.ts$/;
/** The end of a test or of a hook that has a timeout of its own. */
const OWN_TIMEOUT =
  /^\s*\}, (?<block>\d+_000)\);$|^\s*(?:before|after)(?:All|Each)\(.*, (?<line>\d+_000)\);$|^\s+(?<last>\d+_000),\n\s*\);$/gm;
/** `testTimeout` in jest.config.mjs. */
const USUAL_MS = 600_000;

/**
 * No test has less time than all tests have: it would fail where other processes have most of the machine.
 * Source: docs/conventions.md#tests.
 */
export const testTimeoutsCheck: Check = {
  name: 'test timeouts',
  run(sources) {
    return typescriptFiles(sources).flatMap(({ path, text }) => {
      if (!TEST_FILE.test(path)) return [];
      return [...text.matchAll(OWN_TIMEOUT)].flatMap(({ index, groups = {} }) => {
        const own = Number((groups['block'] ?? groups['line'] ?? groups['last'] ?? '').replaceAll('_', ''));
        const line = text.slice(0, index).split('\n').length;
        return own <= USUAL_MS
          ? [`${path}:${line} has a timeout of its own that is no longer than that of all tests`]
          : [];
      });
    });
  },
};
