import type { OptOutView } from '@switchboard/contracts/contacts/http';
import type { CreateOptOutRequest } from '@switchboard/contracts/contacts/rpc';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { FastifyRequest } from 'fastify';
import { optOutExample } from '../../description/examples.js';
import { exampleIds } from '../../description/example-values.js';
import type { BodyDocs } from '../../http/route-docs.js';
import { WrittenPhone } from '../../http/input/phone.decorator.js';
import { readBody } from '../../http/input/read-input.js';
import { CodePoints, Cuid } from '../../http/input/text.decorator.js';

/** The body of `POST /v1/opt-outs`. Source: docs/api-behaviour.md#opt-outs-api. */
class CreateOptOutBody {
  @Cuid({ about: 'The contact; this or `phone`, and not both.', optional: true, nullable: true })
  contactId: string | null | undefined;

  @WrittenPhone({
    about: "The contact's phone, E.164 preferred; a contact is created where there is none. This or `contactId`.",
    optional: true,
    nullable: true,
  })
  phone: string | null | undefined;

  @Cuid({
    about: 'The channel. Left out or null: all channels, those that come later too.',
    optional: true,
    nullable: true,
  })
  messagingChannelId: string | null | undefined;

  @CodePoints(1, 256, { about: 'Why, in your own words.', optional: true, nullable: true })
  reason: string | null | undefined;
}

const isText = { type: 'string' };

const bodies = {
  byPhone: { phone: '+14155550123', reason: 'asked on the phone' },
  byContact: { contactId: exampleIds.contact, messagingChannelId: exampleIds.channel },
};

/** What the description says of the body. */
export const createOptOutBody: BodyDocs = {
  shape: CreateOptOutBody,
  examples: bodies,
  rule: {
    oneOf: [
      { required: ['contactId'], properties: { contactId: isText } },
      { required: ['phone'], properties: { phone: isText } },
    ],
  },
};

const byPhone: OptOutView = {
  ...optOutExample,
  messagingChannelId: null,
  source: 'API',
  reason: 'asked on the phone',
};

/** What the description shows as answers to its examples. */
export const createOptOutAnswers: Readonly<Record<keyof typeof bodies, OptOutView>> = {
  byPhone,
  byContact: { ...byPhone, messagingChannelId: exampleIds.channel, reason: null },
};

/** @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readCreateOptOut(request: FastifyRequest): CreateOptOutRequest {
  const {
    contactId = null,
    phone = null,
    messagingChannelId = null,
    reason = null,
  } = readBody(CreateOptOutBody, request);
  if ((contactId === null) === (phone === null)) {
    throw new AppError(gatewayErrors.VALIDATION_FAILED, 'Exactly one of `contactId` and `phone` must be given');
  }
  return { contactId, phone, messagingChannelId, reason };
}
