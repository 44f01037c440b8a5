import { Controller, Get, Req } from '@nestjs/common';
import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import type { OptOutView } from '@switchboard/contracts/contacts/http';
import { listOptOutsRpc, type ListOptOutsRequest } from '@switchboard/contracts/contacts/rpc';
import type { Page } from '@switchboard/contracts/grammar/page';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import { RpcClient } from '@switchboard/nats';
import { principalOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { ListOptOutsQuery, readListOptOuts } from './list-opt-outs.query.js';

/** `GET /v1/opt-outs`. Source: docs/api-behaviour.md#opt-outs-api. */
@Controller('v1/opt-outs')
export class ListOptOutsController {
  constructor(private readonly rpc: RpcClient) {}

  @Get()
  @Declare({
    access: 'key',
    scope: 'opt_outs:read',
    errors: [messagingErrors.INVALID_PHONE, messagingErrors.CHANNEL_NOT_FOUND, contactsErrors.CONTACT_NOT_FOUND],
    cost: 1,
    input: readListOptOuts,
    docs: {
      operationId: 'listOptOuts',
      tag: 'Contacts',
      summary: 'List opt-outs',
      description: 'Those that stand, newest first; filters are joined by and.',
      query: ListOptOutsQuery,
      answers: { 200: { description: 'A page of opt-outs.', body: { pageOf: 'OptOut' } } },
    },
  })
  list(@Req() request: RequestOf<ListOptOutsRequest>): Promise<Page<OptOutView>> {
    return this.rpc.call(listOptOutsRpc, principalOf(request), request.edge.input);
  }
}
