import { Controller, Get, Req } from '@nestjs/common';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { ConversationView } from '@switchboard/contracts/messaging/http';
import { getConversationRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcClient } from '@switchboard/nats';
import { principalOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { readId } from '../../http/input/read-input.js';

/** `GET /v1/conversations/{id}`. Source: docs/api-behaviour.md#conversations. */
@Controller('v1/conversations')
export class GetConversationController {
  constructor(private readonly rpc: RpcClient) {}

  @Get(':id')
  @Declare({
    access: 'key',
    scope: 'conversations:read',
    errors: [messagingErrors.CONVERSATION_NOT_FOUND],
    cost: 1,
    input: readId,
    docs: {
      operationId: 'getConversation',
      tag: 'Conversations',
      summary: 'Read a conversation',
      description: "The conversation with its contact's present name.",
      answers: { 200: { description: 'The conversation.', body: 'Conversation' } },
    },
  })
  get(@Req() request: RequestOf<string>): Promise<ConversationView> {
    return this.rpc.call(getConversationRpc, principalOf(request), { id: request.edge.input });
  }
}
