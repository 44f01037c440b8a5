import { Controller, Get, Req } from '@nestjs/common';
import type { ContactView } from '@switchboard/contracts/contacts/http';
import { listContactsRpc, type ListContactsRequest } from '@switchboard/contracts/contacts/rpc';
import type { Page } from '@switchboard/contracts/grammar/page';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { RpcClient } from '@switchboard/nats';
import { principalOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { ListContactsQuery, readListContacts } from './list-contacts.query.js';

/** `GET /v1/contacts`. Source: docs/api-behaviour.md#contacts-list. */
@Controller('v1/contacts')
export class ListContactsController {
  constructor(private readonly rpc: RpcClient) {}

  @Get()
  @Declare({
    access: 'key',
    scope: 'contacts:read',
    errors: [messagingErrors.INVALID_PHONE],
    cost: 1,
    input: readListContacts,
    docs: {
      operationId: 'listContacts',
      tag: 'Contacts',
      summary: 'List and search contacts',
      description: 'Newest first; filters are joined by and.',
      query: ListContactsQuery,
      answers: { 200: { description: 'A page of contacts.', body: { pageOf: 'Contact' } } },
    },
  })
  list(@Req() request: RequestOf<ListContactsRequest>): Promise<Page<ContactView>> {
    return this.rpc.call(listContactsRpc, principalOf(request), request.edge.input);
  }
}
