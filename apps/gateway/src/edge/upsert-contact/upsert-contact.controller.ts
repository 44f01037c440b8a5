import { Controller, Post, Req, Res } from '@nestjs/common';
import type { ContactView } from '@switchboard/contracts/contacts/http';
import { upsertContactRpc, type UpsertContactRequest } from '@switchboard/contracts/contacts/rpc';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { RpcClient } from '@switchboard/nats';
import type { FastifyReply } from 'fastify';
import { principalOf, type RequestOf } from '../http/edge-request.js';
import { Declare } from '../http/route-declaration.js';
import { readUpsertContact } from './upsert-contact.body.js';

/** `POST /v1/contacts`: 201 for a new contact, 200 for one that was there. Source: specification; decisions. */
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
