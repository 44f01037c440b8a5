import { Controller } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { ConversationView } from '@switchboard/contracts/messaging/http';
import { listConversationsRpc, type ListConversationsRequest } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { keysetPage } from '@switchboard/postgres';
import { conversationView } from '../conversation/conversation-view.js';
import { ConversationRepository } from '../conversation/conversation.repository.js';

/** Answers `rpc.messaging.list-conversations`. */
@Controller()
export class ListConversationsHandler {
  constructor(private readonly conversations: ConversationRepository) {}

  @RpcHandler(listConversationsRpc)
  async list({ principal, request }: RpcCall<ListConversationsRequest>): Promise<Page<ConversationView>> {
    const rows = await this.conversations.list(principal.organizationId, request, request.limit + 1);
    return keysetPage(rows, request.limit, ({ position }) => position, conversationView);
  }
}
