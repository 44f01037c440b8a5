import { Controller } from '@nestjs/common';
import {
  controlLaneRpc,
  type ControlLaneRequest,
  type ControlledLane,
} from '@switchboard/contracts/messaging/bulk-rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { ControlLane } from './control-lane.js';

/** Answers `rpc.messaging.control-lane`. */
@Controller()
export class ControlLaneHandler {
  constructor(private readonly controlLane: ControlLane) {}

  /** @throws SERVICE_UNAVAILABLE when attempts may still begin at the end of the caller's budget */
  @RpcHandler(controlLaneRpc)
  async control({ principal, request, budget }: RpcCall<ControlLaneRequest>): Promise<ControlledLane> {
    return this.controlLane.execute(principal.organizationId, request, budget.signal);
  }
}
