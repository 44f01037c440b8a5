import { Controller, Patch, Req } from '@nestjs/common';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { ConversationView } from '@switchboard/contracts/messaging/http';
import { changeConversationRpc, type ChangeConversationRequest } from '@switchboard/contracts/messaging/rpc';
import { RpcClient } from '@switchboard/nats';
import { principalOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import {
  changeConversationAnswers,
  changeConversationBody,
  readChangeConversation,
} from './change-conversation.body.js';

/** `PATCH /v1/conversations/{id}`. Source: docs/api-behaviour.md#conversation-status. */
@Controller('v1/conversations')
export class ChangeConversationController {
  constructor(private readonly rpc: RpcClient) {}

  @Patch(':id')
  @Declare({
    access: 'key',
    scope: 'conversations:write',
    errors: [messagingErrors.CONVERSATION_NOT_FOUND, messagingErrors.INVALID_TRANSITION],
    cost: 1,
    input: readChangeConversation,
    docs: {
      operationId: 'changeConversation',
      tag: 'Conversations',
      summary: 'Move a conversation to another status',
      description:
        'By hand: OPEN and PENDING to each other, to SNOOZED and CLOSED; SNOOZED to OPEN, PENDING, CLOSED or a new time; ' +
        'CLOSED to OPEN and ARCHIVED; ARCHIVED to OPEN. Any other move is 400 `INVALID_TRANSITION`; the status that it has ' +
        'already is 200 and changes nothing. An inbound message moves PENDING, SNOOZED and CLOSED to OPEN.',
      body: changeConversationBody,
      answers: {
        200: {
          description: 'The conversation as it is now.',
          body: 'Conversation',
          examples: changeConversationAnswers,
        },
      },
    },
  })
  change(@Req() request: RequestOf<ChangeConversationRequest>): Promise<ConversationView> {
    return this.rpc.call(changeConversationRpc, principalOf(request), request.edge.input);
  }
}
