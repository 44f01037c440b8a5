import type { OptOutView } from '@switchboard/contracts/contacts/http';
import { IsOptional } from 'class-validator';
import { exampleIds } from '../../description/example-values.js';
import { optOutExample } from '../../description/examples.js';
import { About } from '../../http/input/field-description.js';
import { CodePoints, IsCuid, WrittenPhone } from '../../http/input/text.decorator.js';
import type { BodyDocs } from '../../http/route-docs.js';

/** The body of `POST /v1/opt-outs`. Source: docs/api-behaviour.md#opt-outs-api. */
export class CreateOptOutBody {
  @About('The contact; this or `phone`, and not both.')
  @IsOptional()
  @IsCuid()
  contactId: string | null | undefined;

  @About("The contact's phone, E.164 preferred; a contact is created where there is none. This or `contactId`.")
  @IsOptional()
  @WrittenPhone()
  phone: string | null | undefined;

  @About('The channel. Left out or null: all channels, those that come later too.')
  @IsOptional()
  @IsCuid()
  messagingChannelId: string | null | undefined;

  @About('Why, in your own words.')
  @IsOptional()
  @CodePoints(1, 256)
  reason: string | null | undefined;
}

const isText = { type: 'string' };

const bodies = {
  // Another number than that of the sends: an example that is tried out must not have the next one refused.
  byPhone: { phone: '+14155550199', reason: 'asked on the phone' },
  byContact: { contactId: exampleIds.contact, messagingChannelId: exampleIds.channel },
};

/** The body in the description. */
export const createOptOutBody: BodyDocs<CreateOptOutBody> = {
  shape: CreateOptOutBody,
  examples: bodies,
  rule: {
    words: 'Exactly one of `contactId` and `phone` is given.',
    schema: {
      oneOf: [
        { required: ['contactId'], properties: { contactId: isText } },
        { required: ['phone'], properties: { phone: isText } },
      ],
    },
    problemOf: ({ contactId = null, phone = null }) =>
      (contactId === null) === (phone === null) ? 'Exactly one of `contactId` and `phone` must be given' : null,
  },
};

const byPhone: OptOutView = {
  ...optOutExample,
  phone: bodies.byPhone.phone,
  messagingChannelId: null,
  source: 'API',
  reason: 'asked on the phone',
};

/** Answers to the examples of the body, for the description. */
export const createOptOutAnswers: Readonly<Record<keyof typeof bodies, OptOutView>> = {
  byPhone,
  byContact: { ...byPhone, messagingChannelId: exampleIds.channel, reason: null },
};
