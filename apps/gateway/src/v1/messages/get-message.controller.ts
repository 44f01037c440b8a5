import { Controller, Get, Req } from '@nestjs/common';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { MessageView } from '@switchboard/contracts/messaging/http';
import { getMessageRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcClient } from '@switchboard/nats';
import { principalOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { readId } from '../../http/input/read-input.js';

/** `GET /v1/messages/{id}`. Source: docs/api-behaviour.md#messages-fields. */
@Controller('v1/messages')
export class GetMessageController {
  constructor(private readonly rpc: RpcClient) {}

  @Get(':id')
  @Declare({
    access: 'key',
    scope: 'messages:read',
    errors: [messagingErrors.MESSAGE_NOT_FOUND],
    cost: 1,
    input: readId,
    docs: {
      operationId: 'getMessage',
      tag: 'Messages',
      summary: 'Read a message',
      description:
        'What became of a message. The status only rises: QUEUED, SENT, FAILED, DELIVERED, READ; a late confirmation of ' +
        'delivery overrides FAILED. An `error` with the code `UPSTREAM_OUTCOME_UNKNOWN` means that the provider may have ' +
        'delivered it: do not send it again blindly.',
      answers: { 200: { description: 'The message.', body: 'Message' } },
    },
  })
  get(@Req() request: RequestOf<string>): Promise<MessageView> {
    return this.rpc.call(getMessageRpc, principalOf(request), { id: request.edge.input });
  }
}
