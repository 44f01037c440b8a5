import {
  conversationStatuses,
  type ConversationStatus,
  type ConversationView,
} from '@switchboard/contracts/messaging/http';
import { IsIn, IsOptional } from 'class-validator';
import { conversationExample } from '../../description/examples.js';
import { About } from '../../http/input/field-description.js';
import { IsMoment } from '../../http/input/text.decorator.js';
import type { BodyDocs } from '../../http/route-docs.js';

/** The body of `PATCH /v1/conversations/{id}`. Source: docs/api-behaviour.md#conversation-status. */
export class ChangeConversationBody {
  @About('The status to move to; the one that it has already changes nothing.')
  @IsIn(conversationStatuses)
  status: ConversationStatus = 'OPEN';

  @About(
    'With SNOOZED alone: when it returns to OPEN by itself, in the future. Left out or null: when the contact writes.',
  )
  @IsOptional()
  @IsMoment()
  snoozedUntil: string | null | undefined;
}

const bodies = {
  close: { status: 'CLOSED' },
  snooze: { status: 'SNOOZED', snoozedUntil: '2100-01-01T09:00:00+01:00' },
};

/** Answers to the examples of the body, for the description. */
export const changeConversationAnswers: Readonly<Record<keyof typeof bodies, ConversationView>> = {
  close: { ...conversationExample, status: 'CLOSED' },
  snooze: { ...conversationExample, status: 'SNOOZED', snoozedUntil: '2100-01-01T08:00:00.000Z' },
};

/** The body in the description. Messaging checks that `snoozedUntil` is in the future. */
export const changeConversationBody: BodyDocs<ChangeConversationBody> = {
  shape: ChangeConversationBody,
  examples: bodies,
  rule: {
    words: '`snoozedUntil` is allowed only with the `status` SNOOZED.',
    schema: {
      anyOf: [{ properties: { status: { enum: ['SNOOZED'] } } }, { properties: { snoozedUntil: { type: 'null' } } }],
    },
    problemOf: ({ status, snoozedUntil = null }) =>
      snoozedUntil !== null && status !== 'SNOOZED' ? '`snoozedUntil` is allowed only with the `status` SNOOZED' : null,
  },
};
