import { Injectable } from '@nestjs/common';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { MessageTimelineView } from '@switchboard/contracts/messaging/http';
import { getTimelineRpc } from '@switchboard/contracts/messaging/timeline';
import { RpcClient } from '@switchboard/nats';

/** The steps of a message, from every service that knows some. */
@Injectable()
export class MessageTimeline {
  constructor(private readonly rpc: RpcClient) {}

  /** @throws MESSAGE_NOT_FOUND; RpcUnanswered when messaging does not answer */
  async of(principal: Principal, id: string): Promise<MessageTimelineView> {
    const { items } = await this.rpc.call(getTimelineRpc, principal, { id });
    return { items };
  }
}
