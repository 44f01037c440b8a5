import { Controller } from '@nestjs/common';
import type { ConversationView } from '@switchboard/contracts/messaging/http';
import { changeConversationRpc, type ChangeConversationRequest } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { ChangeConversation } from './change-conversation.js';

/** Answers `rpc.messaging.change-conversation`. */
@Controller()
export class ChangeConversationHandler {
  constructor(private readonly changeConversation: ChangeConversation) {}

  @RpcHandler(changeConversationRpc)
  change({ principal, request }: RpcCall<ChangeConversationRequest>): Promise<ConversationView> {
    return this.changeConversation.execute(principal, request);
  }
}
