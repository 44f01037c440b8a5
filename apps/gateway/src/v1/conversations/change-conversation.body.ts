import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import {
  conversationStatuses,
  type ConversationStatus,
  type ConversationView,
} from '@switchboard/contracts/messaging/http';
import type { ChangeConversationRequest } from '@switchboard/contracts/messaging/rpc';
import type { FastifyRequest } from 'fastify';
import { conversationExample } from '../../description/examples.js';
import type { BodyDocs } from '../../http/route-docs.js';
import { momentOf } from '../../http/input/moment.policy.js';
import { readBody, readId } from '../../http/input/read-input.js';
import { Moment, OneOf } from '../../http/input/text.decorator.js';

/** The body of `PATCH /v1/conversations/{id}`. Source: docs/api-behaviour.md#conversation-status. */
class ChangeConversationBody {
  @OneOf(conversationStatuses, { about: 'The status to move to; the one that it has already changes nothing.' })
  status: ConversationStatus = 'OPEN';

  @Moment({
    about:
      'With SNOOZED alone: when it returns to OPEN by itself, in the future. Left out or null: when the contact writes.',
    optional: true,
    nullable: true,
  })
  snoozedUntil: string | null | undefined;
}

const bodies = {
  close: { status: 'CLOSED' },
  snooze: { status: 'SNOOZED', snoozedUntil: '2100-01-01T09:00:00+01:00' },
};

/** What the description shows as answers to its examples. */
export const changeConversationAnswers: Readonly<Record<keyof typeof bodies, ConversationView>> = {
  close: { ...conversationExample, status: 'CLOSED' },
  snooze: { ...conversationExample, status: 'SNOOZED', snoozedUntil: '2100-01-01T08:00:00.000Z' },
};

/** What the description says of the body. */
export const changeConversationBody: BodyDocs = {
  shape: ChangeConversationBody,
  examples: bodies,
  rule: {
    anyOf: [{ properties: { status: { enum: ['SNOOZED'] } } }, { properties: { snoozedUntil: { type: 'null' } } }],
  },
};

/** Whether `snoozedUntil` is in the future, messaging says. @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readChangeConversation(request: FastifyRequest): ChangeConversationRequest {
  const id = readId(request);
  const { status, snoozedUntil } = readBody(ChangeConversationBody, request);
  const until = typeof snoozedUntil === 'string' ? momentOf(snoozedUntil) : null;
  if (until !== null && status !== 'SNOOZED') {
    throw new AppError(gatewayErrors.VALIDATION_FAILED, '`snoozedUntil` is allowed only with the `status` SNOOZED');
  }
  return { id, status, snoozedUntil: until?.toISOString() ?? null };
}
