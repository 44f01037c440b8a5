import { conversationStatuses, type ConversationStatus } from '@switchboard/contracts/messaging/http';
import { IsIn } from 'class-validator';
import { About } from '../../http/input/field-description.js';
import { PageQuery } from '../../http/input/page.query.js';
import { IsCuid, MayBeOmitted } from '../../http/input/text.decorator.js';

/** The query of `GET /v1/conversations`. Source: docs/api-behaviour.md#conversations. */
export class ListConversationsQuery extends PageQuery {
  @About('Only conversations in this status.')
  @MayBeOmitted()
  @IsIn(conversationStatuses)
  status: ConversationStatus | undefined;

  @About('Only conversations of this channel.')
  @MayBeOmitted()
  @IsCuid()
  messagingChannelId: string | undefined;

  @About('Only conversations with this contact.')
  @MayBeOmitted()
  @IsCuid()
  contactId: string | undefined;
}
