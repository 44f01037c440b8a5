import { Injectable } from '@nestjs/common';
import type { ControlLaneRequest, ControlledLane } from '@switchboard/contracts/messaging/bulk-rpc';
import { Relay } from '@switchboard/outbox';
import { Database, type Transaction } from '@switchboard/postgres';
import { wakeChannel } from '../bulk-lane/channel-pace.repository.js';
import { withdrawItems } from '../bulk-lane/lane-item.repository.js';
import { lockLane, setStand } from '../bulk-lane/lane.repository.js';
import { LaneSignal } from '../bulk-lane/lane-signal.js';
import { standAfter } from './lane-stand.policy.js';

/** Recipients that one call takes out at most. */
const WITHDRAWN_MAX = 1_000;

/** Pauses, resumes, holds and withdraws lanes. */
@Injectable()
export class ControlLane {
  constructor(
    private readonly database: Database,
    private readonly relay: Relay,
    private readonly lanes: LaneSignal,
  ) {}

  /** Under the lane's lock, which a claim holds from its look to its COMMIT: what it answers is exact. */
  async execute(organizationId: string, request: ControlLaneRequest): Promise<ControlledLane> {
    const key = { organizationId, jobId: request.jobId };
    const control = async (tx: Transaction) => {
      const lane = await lockLane(tx, key);
      setStand(tx, key, lane, standAfter(lane, request));
      const withdrawn = request.action === 'WITHDRAW' ? await withdrawItems(tx, key, WITHDRAWN_MAX) : [];
      return { lane, withdrawn };
    };
    const { lane, withdrawn } = await this.database.transaction(control, { tenant: organizationId });
    this.relay.wake();
    const { channelId, begun } = lane;
    if (channelId !== null) {
      await wakeChannel(this.database, { organizationId, channelId });
      this.lanes.wake();
    }
    return { begun, withdrawn: withdrawn.map(({ recipientIndex }) => recipientIndex) };
  }
}
