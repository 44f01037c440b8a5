import { Injectable } from '@nestjs/common';
import type { ControlLaneRequest, ControlledLane } from '@switchboard/contracts/messaging/bulk-rpc';
import { Relay } from '@switchboard/outbox';
import { systemClock } from '@switchboard/platform';
import { Database, type Transaction } from '@switchboard/postgres';
import { ChannelWakes } from '../bulk-lane/channel-wakes.batch.js';
import { endWithdrawn } from '../bulk-lane/end-withdrawn.js';
import type { LaneKey } from '../bulk-lane/lane.entity.js';
import { withdrawItems } from '../bulk-lane/lane-item.repository.js';
import { lockLane, storeLaneState } from '../bulk-lane/lane.repository.js';
import { markedAttemptsOfLane } from '../dispatch/marked-attempts.repository.js';
import { waitForMarkedAttempts } from '../dispatch/wait-for-marked-attempts.js';
import { laneStateAfter } from './lane-state.policy.js';

/** Recipients that one call takes out at most. */
const WITHDRAWN_MAX = 1_000;

/** Pauses, resumes, holds and withdraws lanes. */
@Injectable()
export class ControlLane {
  constructor(
    private readonly database: Database,
    private readonly relay: Relay,
    private readonly wakes: ChannelWakes,
  ) {}

  /**
   * Under the lane's lock, which a claim holds from its look to its COMMIT: what it answers is exact. After a pause and a
   * withdrawal no attempt begins once it has returned: those that have their slot are waited for, some 2.3 s at most.
   *
   * @throws SERVICE_UNAVAILABLE when the caller's patience ended before
   */
  async execute(organizationId: string, request: ControlLaneRequest, signal: AbortSignal): Promise<ControlledLane> {
    const key = { organizationId, jobId: request.jobId };
    const control = async (tx: Transaction) => {
      const lane = await lockLane(tx, key);
      const after = laneStateAfter(lane, request);
      storeLaneState(tx, key, lane, after);
      const withdrawn = request.action === 'WITHDRAW' ? await withdrawItems(tx, key, WITHDRAWN_MAX) : [];
      return { lane, withdrawn, isWithdrawn: after.isWithdrawn };
    };
    const { lane, withdrawn, isWithdrawn } = await this.database.transaction(control, { tenant: organizationId });
    this.relay.wake();
    const { channelId, begun } = lane;
    if (channelId !== null) await this.wakes.execute({ organizationId, channelId });
    if (request.action === 'PAUSE' || request.action === 'WITHDRAW') {
      await waitForMarkedAttempts(() => markedAttemptsOfLane(this.database, key), signal);
    }
    if (request.action === 'WITHDRAW') await this.endMessages(key, signal);
    return { begun, withdrawn: withdrawn.map(({ recipientIndex }) => recipientIndex), isWithdrawn };
  }

  /** What the caller's patience leaves is ended by `CloseLanesWorker`. */
  private async endMessages(lane: LaneKey, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await endWithdrawn(this.database, [lane], new Date(systemClock.now()))));
    this.relay.wake();
  }
}
