import { Controller } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Page } from '@switchboard/contracts/grammar/page';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { MessageView } from '@switchboard/contracts/messaging/http';
import { listMessagesRpc, type ListMessagesRequest } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { keysetPage } from '@switchboard/postgres';
import { ConversationRepository } from '../conversation/conversation.repository.js';
import { messageView } from '../message/message-view.js';
import { MessagePageRepository } from './message-page.repository.js';

/** A message of the broker holds 1 MiB; a hundred long texts are more. */
const ANSWER_BYTES_MAX = 700_000;

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
    const views = (await this.messages.list(organizationId, request, request.limit + 1)).map(messageView);
    // A message proves that the conversation exists; only an empty page has to ask.
    if (views.length === 0 && !(await this.conversations.find(organizationId, request.conversationId))) {
      throw new AppError(messagingErrors.CONVERSATION_NOT_FOUND);
    }
    const fitting = Math.min(request.limit, countWithin(ANSWER_BYTES_MAX, views));
    return keysetPage(
      views,
      fitting,
      ({ id }) => id,
      (view) => view,
    );
  }
}

/** How many of the first items fit into so many bytes of JSON; at least one. */
function countWithin(bytesMax: number, items: readonly unknown[]): number {
  let bytes = 0;
  const end = items.findIndex((item) => (bytes += Buffer.byteLength(JSON.stringify(item)) + 1) > bytesMax);
  return end === -1 ? items.length : Math.max(end, 1);
}
