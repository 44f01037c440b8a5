import type { DevJson } from '@switchboard/dev';
import { sharedOfRun } from '@switchboard/testing/run-servers';
import { usable, type UsableStack } from './start-everything.js';

/**
 * The stack that the files of this worker share, with organizations of the caller's own. Nothing of it may be killed,
 * stopped or configured, and what all organizations move is not to be counted: such a file starts its own.
 */
export async function sharedStack(): Promise<UsableStack> {
  return usable(await sharedOfRun<DevJson>('stack'));
}
