import { Body, Controller, Get, Param, Patch, Query } from '@nestjs/common';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Page } from '@switchboard/contracts/grammar/page';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { ConversationView, MessageView } from '@switchboard/contracts/messaging/http';
import { changeConversationRpc, getConversationRpc, listConversationsRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcClient } from '@switchboard/nats';
import { momentOf } from '../../http/input/moment.policy.js';
import { PageQuery, pageOf } from '../../http/input/page.query.js';
import { Principal } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';
import {
  changeConversationAnswers,
  ChangeConversationBody,
  changeConversationBody,
} from './change-conversation.body.js';
import { ListConversationsQuery } from './list-conversations.query.js';
import { ListMessages } from './list-messages.js';

/** `/v1/conversations`, and `/app/api/conversations` for every member. Source: docs/api-behaviour.md#conversations. */
@Controller(['v1/conversations', 'app/api/conversations'])
export class ConversationsController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly messages: ListMessages,
  ) {}

  @Get()
  @Declare({
    access: 'key-or-session',
    scope: 'conversations:read',
    errors: [],
    cost: 1,
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
  list(@Principal() principal: Principal, @Query() query: ListConversationsQuery): Promise<Page<ConversationView>> {
    const { status = null, messagingChannelId = null, contactId = null } = query;
    const request = { ...pageOf(query), status, messagingChannelId, contactId };
    return this.rpc.call(listConversationsRpc, principal, request);
  }

  @Get(':id')
  @Declare({
    access: 'key-or-session',
    scope: 'conversations:read',
    errors: [messagingErrors.CONVERSATION_NOT_FOUND],
    cost: 1,
    docs: {
      operationId: 'getConversation',
      tag: 'Conversations',
      summary: 'Read a conversation',
      description: "The conversation with its contact's current name.",
      answers: { 200: { description: 'The conversation.', body: 'Conversation' } },
    },
  })
  get(@Principal() principal: Principal, @Param('id') id: string): Promise<ConversationView> {
    return this.rpc.call(getConversationRpc, principal, { id });
  }

  @Patch(':id')
  @Declare({
    access: 'key-or-session',
    scope: 'conversations:write',
    paidScope: 'conversations:write',
    errors: [messagingErrors.CONVERSATION_NOT_FOUND, serviceErrors.INVALID_TRANSITION],
    cost: 1,
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
  change(
    @Principal() principal: Principal,
    @Param('id') id: string,
    @Body() { status, snoozedUntil }: ChangeConversationBody,
  ): Promise<ConversationView> {
    const until = momentOf(snoozedUntil ?? '')?.toISOString() ?? null;
    return this.rpc.call(changeConversationRpc, principal, { id, status, snoozedUntil: until });
  }

  @Get(':id/messages')
  @Declare({
    access: 'key-or-session',
    scope: 'messages:read',
    errors: [messagingErrors.CONVERSATION_NOT_FOUND],
    cost: 1,
    docs: {
      operationId: 'listMessages',
      tag: 'Conversations',
      summary: "List a conversation's messages",
      description: 'Inbound and outbound, newest first.',
      query: PageQuery,
      answers: { 200: { description: 'A page of messages.', body: { pageOf: 'Message' } } },
    },
  })
  listMessages(
    @Principal() principal: Principal,
    @Param('id') conversationId: string,
    @Query() query: PageQuery,
  ): Promise<Page<MessageView>> {
    return this.messages.list(principal, { conversationId, ...pageOf(query) });
  }
}
