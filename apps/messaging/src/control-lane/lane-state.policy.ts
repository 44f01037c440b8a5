import type { ControlLaneRequest } from '@switchboard/contracts/messaging/bulk-rpc';
import type { StoredLaneState } from '../bulk-lane/lane.repository.js';

/**
 * The state of a lane after an action; an action that was done before changes nothing. Causes of a hold come and go by
 * themselves: the lane goes on when the last one has ended.
 */
export function laneStateAfter(
  before: StoredLaneState,
  { action, heldReason, keptReasons }: Pick<ControlLaneRequest, 'action' | 'heldReason' | 'keptReasons'>,
): StoredLaneState {
  const { isPaused, isWithdrawn, holds } = before;
  switch (action) {
    case 'PAUSE':
      return { isPaused: true, isWithdrawn, holds };
    case 'RESUME':
      return { isPaused: isWithdrawn, isWithdrawn, holds: isWithdrawn ? [] : (keptReasons ?? []) };
    case 'HOLD':
      if (heldReason === null || isWithdrawn || holds.includes(heldReason)) return before;
      return { isPaused, isWithdrawn, holds: [...holds, heldReason] };
    case 'RELEASE':
      return { isPaused, isWithdrawn, holds: holds.filter((reason) => reason !== heldReason) };
    case 'WITHDRAW':
      // A replica of the release before knows a pause alone to keep it from claiming.
      return { isPaused: true, isWithdrawn: true, holds: [] };
  }
}
