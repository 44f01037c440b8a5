import { Controller, Get, Req } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import { messagingErrors } from '@switchboard/contracts/messaging/errors';
import type { MessageView } from '@switchboard/contracts/messaging/http';
import type { ListMessagesRequest } from '@switchboard/contracts/messaging/rpc';
import { principalOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { PageQuery } from '../../http/input/page.query.js';
import { readListMessages } from './list-messages.query.js';
import { ListMessages } from './list-messages.js';

/** `GET /v1/conversations/{id}/messages`. Source: docs/api-behaviour.md#messages-fields. */
@Controller('v1/conversations')
export class ListMessagesController {
  constructor(private readonly messages: ListMessages) {}

  @Get(':id/messages')
  @Declare({
    access: 'key',
    scope: 'messages:read',
    errors: [messagingErrors.CONVERSATION_NOT_FOUND],
    cost: 1,
    input: readListMessages,
    docs: {
      operationId: 'listMessages',
      tag: 'Conversations',
      summary: "List a conversation's messages",
      description: 'Inbound and outbound, newest first.',
      query: PageQuery,
      answers: { 200: { description: 'A page of messages.', body: { pageOf: 'Message' } } },
    },
  })
  list(@Req() request: RequestOf<ListMessagesRequest>): Promise<Page<MessageView>> {
    return this.messages.list(principalOf(request), request.edge.input);
  }
}
