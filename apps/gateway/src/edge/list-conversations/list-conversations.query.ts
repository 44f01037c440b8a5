import { conversationStatuses, type ConversationStatus } from '@switchboard/contracts/messaging/http';
import type { ListConversationsRequest } from '@switchboard/contracts/messaging/rpc';
import type { FastifyRequest } from 'fastify';
import { readQuery } from '../input/read-input.js';
import { Cuid, OneOf, WholeNumberText } from '../input/text.decorator.js';

/** Source: specification, "Pagination". */
const LIMIT_DEFAULT = 25;

/** The query of `GET /v1/conversations`. Source: specification; the filters by channel and contact: decisions. */
class ListConversationsQuery {
  @WholeNumberText(1, 100, { optional: true })
  limit: string | undefined;

  @Cuid({ optional: true })
  cursor: string | undefined;

  @OneOf(conversationStatuses, { optional: true })
  status: ConversationStatus | undefined;

  @Cuid({ optional: true })
  messagingChannelId: string | undefined;

  @Cuid({ optional: true })
  contactId: string | undefined;
}

/** @throws AppError VALIDATION_FAILED */
export function readListConversations(request: FastifyRequest): ListConversationsRequest {
  const query = readQuery(ListConversationsQuery, request);
  return {
    limit: Number(query.limit ?? LIMIT_DEFAULT),
    cursor: query.cursor ?? null,
    status: query.status ?? null,
    messagingChannelId: query.messagingChannelId ?? null,
    contactId: query.contactId ?? null,
  };
}
