import { Controller, Get, Req } from '@nestjs/common';
import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import type { ContactView } from '@switchboard/contracts/contacts/http';
import { getContactRpc } from '@switchboard/contracts/contacts/rpc';
import { RpcClient } from '@switchboard/nats';
import { principalOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { readId } from '../../http/input/read-input.js';

/** `GET /v1/contacts/{id}`. Source: docs/api-behaviour.md#contacts-fields. */
@Controller('v1/contacts')
export class GetContactController {
  constructor(private readonly rpc: RpcClient) {}

  @Get(':id')
  @Declare({
    access: 'key',
    scope: 'contacts:read',
    errors: [contactsErrors.CONTACT_NOT_FOUND],
    cost: 1,
    input: readId,
    docs: {
      operationId: 'getContact',
      tag: 'Contacts',
      summary: 'Read a contact',
      description: 'The contact with its opt-outs as they are now.',
      answers: { 200: { description: 'The contact.', body: 'Contact' } },
    },
  })
  get(@Req() request: RequestOf<string>): Promise<ContactView> {
    return this.rpc.call(getContactRpc, principalOf(request), { id: request.edge.input });
  }
}
