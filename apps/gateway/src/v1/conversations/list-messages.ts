import { Injectable } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { MessageView } from '@switchboard/contracts/messaging/http';
import { messageViewOf } from '@switchboard/contracts/messaging/message-view';
import { listMessagesRpc, type ListMessagesRequest } from '@switchboard/contracts/messaging/rpc';
import { RpcClient } from '@switchboard/nats';

/** Reads a whole page, however few of its messages fit into one answer of messaging (long texts, 1 MB an answer). */
@Injectable()
export class ListMessages {
  constructor(private readonly rpc: RpcClient) {}

  /** @throws CONVERSATION_NOT_FOUND; RpcUnanswered */
  async list(principal: Principal, request: ListMessagesRequest): Promise<Page<MessageView>> {
    let page = await this.rpc.call(listMessagesRpc, principal, request);
    while (page.nextCursor !== undefined && page.items.length < request.limit) {
      const rest = { ...request, limit: request.limit - page.items.length, cursor: page.nextCursor };
      const more = await this.rpc.call(listMessagesRpc, principal, rest);
      page = { ...more, items: [...page.items, ...more.items] };
    }
    return { ...page, items: page.items.map(messageViewOf) };
  }
}
