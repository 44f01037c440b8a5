import { counted } from './counted.js';
import type { Stage } from './stage.js';

/**
 * How many outcomes have become unknown since messaging started, in all of its replicas, whatever settled them later.
 * The database holds only those that are still unknown.
 */
export async function unknownCounted(stage: Stage): Promise<number> {
  return counted(stage, 'messaging', 'switchboard_messages_unknown_total');
}
