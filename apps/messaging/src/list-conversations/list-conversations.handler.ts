import { Controller } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { ConversationView } from '@switchboard/contracts/messaging/http';
import { listConversationsRpc, type ListConversationsRequest } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { readKeysetPage } from '@switchboard/postgres';
import { conversationView } from '../conversation/conversation-view.js';
import { ConversationRepository } from '../conversation/conversation.repository.js';

/** Answers `rpc.messaging.list-conversations`. */
@Controller()
export class ListConversationsHandler {
  constructor(private readonly conversations: ConversationRepository) {}

  /** None where a filter names what does not exist. Source: docs/api-behaviour.md#filters. */
  @RpcHandler(listConversationsRpc)
  list({ principal, request }: RpcCall<ListConversationsRequest>): Promise<Page<ConversationView>> {
    return readKeysetPage(
      request.limit,
      (rowsMax) => this.conversations.list(principal.organizationId, request, rowsMax),
      ({ position }) => position,
      conversationView,
    );
  }
}
