import type { ControlLaneRequest } from '@switchboard/contracts/messaging/bulk-rpc';
import type { LaneStand } from '../bulk-lane/lane.repository.js';

/** How a lane stands after an action; an action that was done before changes nothing. */
export function standAfter(
  before: LaneStand,
  { action, heldReason }: Pick<ControlLaneRequest, 'action' | 'heldReason'>,
): LaneStand {
  const { isPaused, isWithdrawn, heldReason: held } = before;
  switch (action) {
    case 'PAUSE':
      return { isPaused: true, isWithdrawn, heldReason: held };
    case 'RESUME':
      return { isPaused: false, isWithdrawn, heldReason: null };
    case 'HOLD':
      return { isPaused, isWithdrawn, heldReason: isWithdrawn ? held : (held ?? heldReason) };
    case 'RELEASE':
      return { isPaused, isWithdrawn, heldReason: held === heldReason ? null : held };
    case 'WITHDRAW':
      // What has begun is repeated where need be, paused or held before or not.
      return { isPaused: false, isWithdrawn: true, heldReason: null };
  }
}
