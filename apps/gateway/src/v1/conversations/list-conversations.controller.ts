import { Controller, Get, Req } from '@nestjs/common';
import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import type { Page } from '@switchboard/contracts/grammar/page';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { ConversationView } from '@switchboard/contracts/messaging/http';
import { listConversationsRpc, type ListConversationsRequest } from '@switchboard/contracts/messaging/rpc';
import { RpcClient } from '@switchboard/nats';
import { principalOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { ListConversationsQuery, readListConversations } from './list-conversations.query.js';

/** `GET /v1/conversations`. Source: docs/api-behaviour.md#conversations. */
@Controller('v1/conversations')
export class ListConversationsController {
  constructor(private readonly rpc: RpcClient) {}

  @Get()
  @Declare({
    access: 'key',
    scope: 'conversations:read',
    errors: [messagingErrors.CHANNEL_NOT_FOUND, contactsErrors.CONTACT_NOT_FOUND],
    cost: 1,
    input: readListConversations,
    docs: {
      operationId: 'listConversations',
      tag: 'Conversations',
      summary: 'List conversations',
      description:
        'The inbox: the newest message first. A conversation that gets a message during a walk moves to the top of a new one.',
      query: ListConversationsQuery,
      answers: { 200: { description: 'A page of conversations.', body: { pageOf: 'Conversation' } } },
    },
  })
  list(@Req() request: RequestOf<ListConversationsRequest>): Promise<Page<ConversationView>> {
    return this.rpc.call(listConversationsRpc, principalOf(request), request.edge.input);
  }
}
