import { Injectable } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { MessageView } from '@switchboard/contracts/messaging/http';
import { listMessagesRpc, type ListMessagesRequest } from '@switchboard/contracts/messaging/rpc';
import { RpcClient } from '@switchboard/nats';
import { wholePage } from '../../messages/whole-page.js';

/** Reads a page of a conversation's messages. */
@Injectable()
export class ListMessages {
  constructor(private readonly rpc: RpcClient) {}

  /** @throws CONVERSATION_NOT_FOUND; RpcUnanswered */
  list(principal: Principal, request: ListMessagesRequest): Promise<Page<MessageView>> {
    return wholePage(request, (place) => this.rpc.call(listMessagesRpc, principal, { ...request, ...place }));
  }
}
