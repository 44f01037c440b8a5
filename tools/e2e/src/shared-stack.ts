import { sharedOfRun } from '@switchboard/testing/run-servers';
import { usable, type UsableStack } from './start-everything.js';
import type { SharedAccess } from './start-shared-stack.js';

/**
 * A stack that is lent to this file, with organizations of its own. Nothing of it may be killed, stopped or configured, and
 * what all organizations move is not to be counted: such a file starts its own.
 */
export async function sharedStack(): Promise<UsableStack & Pick<SharedAccess, 'dataDir'>> {
  const { devJson, dataDir } = await sharedOfRun<SharedAccess>('stack');
  return { ...usable(devJson), dataDir };
}
