import { Controller, Get, Req } from '@nestjs/common';
import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import type { OptOutView } from '@switchboard/contracts/contacts/http';
import { getOptOutRpc } from '@switchboard/contracts/contacts/rpc';
import { RpcClient } from '@switchboard/nats';
import { principalOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { readId } from '../../http/input/read-input.js';

/** `GET /v1/opt-outs/{id}`. Source: docs/api-behaviour.md#opt-outs-api. */
@Controller('v1/opt-outs')
export class GetOptOutController {
  constructor(private readonly rpc: RpcClient) {}

  @Get(':id')
  @Declare({
    access: 'key',
    scope: 'opt_outs:read',
    errors: [contactsErrors.OPT_OUT_NOT_FOUND],
    cost: 1,
    input: readId,
    docs: {
      operationId: 'getOptOut',
      tag: 'Contacts',
      summary: 'Read an opt-out',
      description: 'An opt-out that stands; one that was lifted is gone.',
      answers: { 200: { description: 'The opt-out.', body: 'OptOut' } },
    },
  })
  get(@Req() request: RequestOf<string>): Promise<OptOutView> {
    return this.rpc.call(getOptOutRpc, principalOf(request), { id: request.edge.input });
  }
}
