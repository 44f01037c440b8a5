import { Controller } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { ConversationView } from '@switchboard/contracts/messaging/http';
import { getConversationRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { conversationView } from '../conversation/conversation-view.js';
import { ConversationRepository } from '../conversation/conversation.repository.js';

/** Answers `rpc.messaging.get-conversation`. */
@Controller()
export class GetConversationHandler {
  constructor(private readonly conversations: ConversationRepository) {}

  /** @throws CONVERSATION_NOT_FOUND for another organization's conversation too */
  @RpcHandler(getConversationRpc)
  async get({ principal, request }: RpcCall<{ readonly id: string }>): Promise<ConversationView> {
    const conversation = await this.conversations.find(principal.organizationId, request.id);
    if (!conversation) throw new AppError(messagingErrors.CONVERSATION_NOT_FOUND);
    return conversationView(conversation);
  }
}
