import { Controller, Get, Query } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { MessageView } from '@switchboard/contracts/messaging/http';
import { Principal } from '../../http/request.decorators.js';
import { Declare } from '../../http/route-declaration.js';
import { findMessagesDocs } from '../../messages/find-messages.docs.js';
import { FindMessages } from '../../messages/find-messages.js';
import { FindMessagesQuery } from '../../messages/find-messages.query.js';

/** `/app/api/messages`: the twin of `GET /v1/messages`, for every member. Source: docs/api-behaviour.md#messages-list. */
@Controller('app/api/messages')
export class AppMessagesController {
  constructor(private readonly findMessages: FindMessages) {}

  @Get()
  @Declare({ access: 'session', roles: null, errors: [], docs: findMessagesDocs })
  find(@Principal() principal: Principal, @Query() query: FindMessagesQuery): Promise<Page<MessageView>> {
    return this.findMessages.find(principal, query);
  }
}
