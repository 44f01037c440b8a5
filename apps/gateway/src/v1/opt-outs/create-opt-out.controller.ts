import { Controller, Post, Req, Res } from '@nestjs/common';
import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import type { OptOutView } from '@switchboard/contracts/contacts/http';
import { createOptOutRpc, type CreateOptOutRequest } from '@switchboard/contracts/contacts/rpc';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { RpcClient } from '@switchboard/nats';
import type { FastifyReply } from 'fastify';
import { principalOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { createOptOutAnswers, createOptOutBody, readCreateOptOut } from './create-opt-out.body.js';

/**
 * `POST /v1/opt-outs`: 201 for a new opt-out, 200 for one that stands already. Once it has answered, no send that begins
 * later passes. Source: docs/api-behaviour.md#opt-outs-fence.
 */
@Controller('v1/opt-outs')
export class CreateOptOutController {
  constructor(private readonly rpc: RpcClient) {}

  @Post()
  @Declare({
    access: 'key',
    scope: 'opt_outs:write',
    errors: [messagingErrors.CHANNEL_NOT_FOUND, messagingErrors.INVALID_PHONE, contactsErrors.CONTACT_NOT_FOUND],
    cost: 1,
    input: readCreateOptOut,
    docs: {
      operationId: 'createOptOut',
      tag: 'Contacts',
      summary: 'Opt a contact out',
      description:
        'Once this has answered, no send to the contact that begins later passes on the channel: it is refused 403 ' +
        '`CONTACT_OPTED_OUT`. One that is at the upstream provider already may finish.',
      body: createOptOutBody,
      answers: {
        200: { description: 'The opt-out stood already.', body: 'OptOut', examples: createOptOutAnswers },
        201: { description: 'The opt-out is new.', body: 'OptOut', examples: createOptOutAnswers },
      },
    },
  })
  async create(
    @Req() request: RequestOf<CreateOptOutRequest>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OptOutView> {
    const { optOut, isNew } = await this.rpc.call(createOptOutRpc, principalOf(request), request.edge.input);
    reply.code(isNew ? 201 : 200);
    return optOut;
  }
}
