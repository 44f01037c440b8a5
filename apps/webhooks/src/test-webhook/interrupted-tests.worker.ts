import { PruneWorker } from '@switchboard/platform';
import { recordInterruptedTests } from '../attempt/record-test.repository.js';

/** Records test sends of which no end was recorded. */
export const interruptedTestRecorder = PruneWorker.provide({
  rows: 'test-sends',
  statement: recordInterruptedTests,
  sliceMax: 100,
  idleMs: 10_000,
});
