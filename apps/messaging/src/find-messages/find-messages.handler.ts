import { Controller } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { MessageFacts } from '@switchboard/contracts/messaging/message-facts';
import { findMessagesRpc, type FindMessagesRequest } from '@switchboard/contracts/messaging/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { fittingPage } from '../message/fitting-page.js';
import { MessageSearchRepository } from './message-search.repository.js';

/** Answers `rpc.messaging.find-messages`. */
@Controller()
export class FindMessagesHandler {
  constructor(private readonly messages: MessageSearchRepository) {}

  /** An id of another organization is none of this one's: an empty page. */
  @RpcHandler(findMessagesRpc)
  async find({ principal, request }: RpcCall<FindMessagesRequest>): Promise<Page<MessageFacts>> {
    const rows = await this.messages.find(principal.organizationId, request, request.limit + 1);
    return fittingPage(rows, request.limit);
  }
}
