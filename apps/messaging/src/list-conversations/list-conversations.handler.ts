import { Controller } from '@nestjs/common';
import { getContactRpc } from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Page } from '@switchboard/contracts/grammar/page';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { ConversationView } from '@switchboard/contracts/messaging/http';
import { listConversationsRpc, type ListConversationsRequest } from '@switchboard/contracts/messaging/rpc';
import { RpcClient, RpcHandler, type RpcCall } from '@switchboard/nats';
import { readKeysetPage } from '@switchboard/postgres';
import { ChannelRepository } from '../channel/channel.repository.js';
import { conversationView } from '../conversation/conversation-view.js';
import { ConversationRepository } from '../conversation/conversation.repository.js';

/** Answers `rpc.messaging.list-conversations`. */
@Controller()
export class ListConversationsHandler {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly channels: ChannelRepository,
    private readonly rpc: RpcClient,
  ) {}

  /** @throws CHANNEL_NOT_FOUND, CONTACT_NOT_FOUND */
  @RpcHandler(listConversationsRpc)
  async list(call: RpcCall<ListConversationsRequest>): Promise<Page<ConversationView>> {
    const { principal, request } = call;
    return readKeysetPage(
      request.limit,
      async (rowsMax) => {
        const rows = await this.conversations.list(principal.organizationId, request, rowsMax);
        if (rows.length === 0) await this.requireNamed(call);
        return rows;
      },
      ({ position }) => position,
      conversationView,
    );
  }

  /** A filter by an id that is none of the organization's is refused; a row would have shown that it is. */
  private async requireNamed({ principal, request, budget }: RpcCall<ListConversationsRequest>): Promise<void> {
    const { messagingChannelId, contactId } = request;
    if (messagingChannelId !== null && !(await this.channels.find(principal.organizationId, messagingChannelId))) {
      throw new AppError(
        messagingErrors.CHANNEL_NOT_FOUND,
        '`messagingChannelId` names no channel of the organization',
      );
    }
    // Asked of its owner: the projection may not hold a contact yet that was made a moment ago.
    if (contactId !== null) await this.rpc.call(getContactRpc, principal, { id: contactId }, { budget });
  }
}
