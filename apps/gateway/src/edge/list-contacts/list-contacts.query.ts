import type { ListContactsRequest } from '@switchboard/contracts/contacts/rpc';
import type { FastifyRequest } from 'fastify';
import { PageQuery, pageOf } from '../input/page.query.js';
import { phoneOfQuery, WrittenPhone } from '../input/phone.decorator.js';
import { readQuery } from '../input/read-input.js';
import { CodePoints, OneOf } from '../input/text.decorator.js';

/** The query of `GET /v1/contacts`. Source: decisions, "Contacts and opt-outs". */
class ListContactsQuery extends PageQuery {
  @CodePoints(1, 200, { optional: true })
  search: string | undefined;

  @WrittenPhone({ optional: true })
  phone: string | undefined;

  @OneOf(['true', 'false'], { optional: true })
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
