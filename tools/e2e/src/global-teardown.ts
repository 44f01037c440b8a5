import { endTestRun } from './global-setup.js';

/** Ends a test run. Jest asks for a file of its own, with a default export. */
export default async function tearDown(): Promise<void> {
  await endTestRun();
}
