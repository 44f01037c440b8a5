import { Controller } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Page } from '@switchboard/contracts/grammar/page';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { MessageView } from '@switchboard/contracts/messaging/http';
import { listMessagesRpc, type ListMessagesRequest } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { ConversationRepository } from '../conversation/conversation.repository.js';
import { fittingPage } from '../message/fitting-page.js';
import { MessagePageRepository } from './message-page.repository.js';

/** Answers `rpc.messaging.list-messages`. */
@Controller()
export class ListMessagesHandler {
  constructor(
    private readonly messages: MessagePageRepository,
    private readonly conversations: ConversationRepository,
  ) {}

  /** @throws CONVERSATION_NOT_FOUND for another organization's conversation too */
  @RpcHandler(listMessagesRpc)
  async list({ principal, request }: RpcCall<ListMessagesRequest>): Promise<Page<MessageView>> {
    const { organizationId } = principal;
    const rows = await this.messages.list(organizationId, request, request.limit + 1);
    // A message proves that the conversation exists; only an empty page has to ask.
    if (rows.length === 0 && !(await this.conversations.find(organizationId, request.conversationId))) {
      throw new AppError(messagingErrors.CONVERSATION_NOT_FOUND);
    }
    return fittingPage(rows, request.limit);
  }
}
