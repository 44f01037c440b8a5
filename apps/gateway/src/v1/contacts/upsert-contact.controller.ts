import { Controller, Post, Req, Res } from '@nestjs/common';
import type { ContactView } from '@switchboard/contracts/contacts/http';
import { upsertContactRpc, type UpsertContactRequest } from '@switchboard/contracts/contacts/rpc';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { RpcClient } from '@switchboard/nats';
import type { FastifyReply } from 'fastify';
import { principalOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { changedContacts, newContacts, readUpsertContact, upsertContactBody } from './upsert-contact.body.js';

/** `POST /v1/contacts`: 201 for a new contact, 200 for one that was there. Source: docs/api-behaviour.md#contacts-upsert. */
@Controller('v1/contacts')
export class UpsertContactController {
  constructor(private readonly rpc: RpcClient) {}

  @Post()
  @Declare({
    access: 'key',
    scope: 'contacts:write',
    errors: [messagingErrors.INVALID_PHONE],
    cost: 1,
    input: readUpsertContact,
    docs: {
      operationId: 'upsertContact',
      tag: 'Contacts',
      summary: 'Create or update a contact',
      description:
        'By its phone: every written form of one number is the same contact. Concurrent calls for one phone make one contact.',
      body: upsertContactBody,
      answers: {
        200: { description: 'The contact was there, and is as asked now.', body: 'Contact', examples: changedContacts },
        201: { description: 'The contact is new.', body: 'Contact', examples: newContacts },
      },
    },
  })
  async upsert(
    @Req() request: RequestOf<UpsertContactRequest>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ContactView> {
    const { contact, isNew } = await this.rpc.call(upsertContactRpc, principalOf(request), request.edge.input);
    reply.code(isNew ? 201 : 200);
    return contact;
  }
}
