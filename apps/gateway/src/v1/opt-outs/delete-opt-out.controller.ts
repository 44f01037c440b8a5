import { Controller, Delete, HttpCode, Req } from '@nestjs/common';
import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import { deleteOptOutRpc } from '@switchboard/contracts/contacts/rpc';
import { RpcClient } from '@switchboard/nats';
import { principalOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { readId } from '../../http/input/read-input.js';

/** `DELETE /v1/opt-outs/{id}`: removes it, and answers when sends pass. Source: docs/api-behaviour.md#opt-outs-api. */
@Controller('v1/opt-outs')
export class DeleteOptOutController {
  constructor(private readonly rpc: RpcClient) {}

  @Delete(':id')
  @HttpCode(204)
  @Declare({
    access: 'key',
    scope: 'opt_outs:write',
    errors: [contactsErrors.OPT_OUT_NOT_FOUND],
    cost: 1,
    input: readId,
    docs: {
      operationId: 'deleteOptOut',
      tag: 'Contacts',
      summary: 'Lift an opt-out',
      description:
        'Once this has answered, sends to the contact pass again, unless another opt-out covers the channel.',
      answers: { 204: { description: 'The opt-out is lifted.', body: null } },
    },
  })
  async delete(@Req() request: RequestOf<string>): Promise<void> {
    await this.rpc.call(deleteOptOutRpc, principalOf(request), { id: request.edge.input });
  }
}
