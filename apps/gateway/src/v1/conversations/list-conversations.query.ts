import { conversationStatuses, type ConversationStatus } from '@switchboard/contracts/messaging/http';
import type { ListConversationsRequest } from '@switchboard/contracts/messaging/rpc';
import type { FastifyRequest } from 'fastify';
import { PageQuery, pageOf } from '../../http/input/page.query.js';
import { readQuery } from '../../http/input/read-input.js';
import { Cuid, OneOf } from '../../http/input/text.decorator.js';

/** The query of `GET /v1/conversations`. Source: docs/api-behaviour.md#conversations. */
export class ListConversationsQuery extends PageQuery {
  @OneOf(conversationStatuses, { about: 'Only conversations in this status.', optional: true })
  status: ConversationStatus | undefined;

  @Cuid({ about: 'Only conversations of this channel.', optional: true })
  messagingChannelId: string | undefined;

  @Cuid({ about: 'Only conversations with this contact.', optional: true })
  contactId: string | undefined;
}

/** @throws AppError VALIDATION_FAILED */
export function readListConversations(request: FastifyRequest): ListConversationsRequest {
  const query = readQuery(ListConversationsQuery, request);
  return {
    ...pageOf(query),
    status: query.status ?? null,
    messagingChannelId: query.messagingChannelId ?? null,
    contactId: query.contactId ?? null,
  };
}
