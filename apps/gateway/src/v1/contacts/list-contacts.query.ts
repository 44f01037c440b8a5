import type { ListContactsRequest } from '@switchboard/contracts/contacts/rpc';
import type { FastifyRequest } from 'fastify';
import { PageQuery, pageOf } from '../../http/input/page.query.js';
import { phoneOfQuery, WrittenPhone } from '../../http/input/phone.decorator.js';
import { readQuery } from '../../http/input/read-input.js';
import { BooleanText, CodePoints } from '../../http/input/text.decorator.js';

/** The query of `GET /v1/contacts`. Source: docs/api-behaviour.md#contacts-list. */
export class ListContactsQuery extends PageQuery {
  @CodePoints(1, 200, { about: 'A part of the name, phone or email, in any case; taken literally.', optional: true })
  search: string | undefined;

  @WrittenPhone({ about: 'The phone, in any of its written forms.', optional: true })
  phone: string | undefined;

  @BooleanText({
    about: 'Only contacts that are opted out on every channel, or only those that are not.',
    optional: true,
  })
  isOptedOut: 'true' | 'false' | undefined;
}

/** @throws AppError VALIDATION_FAILED */
export function readListContacts(request: FastifyRequest): ListContactsRequest {
  const query = readQuery(ListContactsQuery, request);
  return {
    ...pageOf(query),
    search: query.search ?? null,
    phone: phoneOfQuery(query.phone),
    isOptedOut: query.isOptedOut === undefined ? null : query.isOptedOut === 'true',
  };
}
