import {
  messageDirections,
  messageStatuses,
  type MessageFacts,
  type MessageStatus,
} from '@switchboard/contracts/messaging/message-facts';
import { IsIn } from 'class-validator';
import { About } from '../http/input/field-description.js';
import { PageQuery } from '../http/input/page.query.js';
import { RestoreOffset } from '../http/input/query.decorator.js';
import { CodePoints, IsCuid, IsMoment, MayBeOmitted } from '../http/input/text.decorator.js';

/** The query of `GET /v1/messages`. Source: docs/api-behaviour.md#messages-list. */
export class FindMessagesQuery extends PageQuery {
  @About('Only messages in this status.')
  @MayBeOmitted()
  @IsIn(messageStatuses)
  status: MessageStatus | undefined;

  @About('Only messages in this direction.')
  @MayBeOmitted()
  @IsIn(messageDirections)
  direction: MessageFacts['direction'] | undefined;

  @About('Only messages of this conversation.')
  @MayBeOmitted()
  @IsCuid()
  conversationId: string | undefined;

  @About('Only messages to and from this contact.')
  @MayBeOmitted()
  @IsCuid()
  contactId: string | undefined;

  @About('Only messages of this channel.')
  @MayBeOmitted()
  @IsCuid()
  messagingChannelId: string | undefined;

  @About('Only messages of this bulk send.')
  @MayBeOmitted()
  @IsCuid()
  jobId: string | undefined;

  @About('Only messages with exactly this reference of yours.')
  @MayBeOmitted()
  @CodePoints(1, 128)
  clientReference: string | undefined;

  @About('Only messages created at this time or later; a date alone is its first moment in UTC.')
  @MayBeOmitted()
  @RestoreOffset()
  @IsMoment()
  createdFrom: string | undefined;

  @About('Only messages created before this time; a date alone includes its whole day in UTC.')
  @MayBeOmitted()
  @RestoreOffset()
  @IsMoment()
  createdTo: string | undefined;
}
