import type { ListOptOutsRequest } from '@switchboard/contracts/contacts/rpc';
import type { FastifyRequest } from 'fastify';
import { PageQuery, pageOf } from '../../http/input/page.query.js';
import { phoneOfQuery, WrittenPhone } from '../../http/input/phone.decorator.js';
import { readQuery } from '../../http/input/read-input.js';
import { Cuid } from '../../http/input/text.decorator.js';

/** The query of `GET /v1/opt-outs`. Source: docs/api-behaviour.md#opt-outs-api. */
export class ListOptOutsQuery extends PageQuery {
  @Cuid({ about: 'Only opt-outs of this contact.', optional: true })
  contactId: string | undefined;

  @WrittenPhone({ about: 'Only opt-outs of the contact with this phone, in any of its written forms.', optional: true })
  phone: string | undefined;

  @Cuid({ about: 'Only opt-outs of this channel alone.', optional: true })
  messagingChannelId: string | undefined;
}

/** @throws AppError VALIDATION_FAILED */
export function readListOptOuts(request: FastifyRequest): ListOptOutsRequest {
  const query = readQuery(ListOptOutsQuery, request);
  return {
    ...pageOf(query),
    contactId: query.contactId ?? null,
    phone: phoneOfQuery(query.phone),
    messagingChannelId: query.messagingChannelId ?? null,
  };
}
