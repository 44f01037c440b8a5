import { Controller, Get, Query } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { ChannelView } from '@switchboard/contracts/messaging/http';
import { listChannelsRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcClient } from '@switchboard/nats';
import { PageQuery, pageOf } from '../../http/input/page.query.js';
import { Principal } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';

/** `/v1/channels`. Source: docs/api-behaviour.md#channels. */
@Controller('v1/channels')
export class ChannelsController {
  constructor(private readonly rpc: RpcClient) {}

  @Get()
  @Declare({
    access: 'key',
    scope: 'channels:read',
    errors: [],
    cost: 1,
    docs: {
      operationId: 'listChannels',
      tag: 'System',
      summary: 'List channels',
      description: "The organization's sending lines, newest first; one of them is the default.",
      query: PageQuery,
      answers: { 200: { description: 'A page of channels.', body: { pageOf: 'Channel' } } },
    },
  })
  list(@Principal() principal: Principal, @Query() query: PageQuery): Promise<Page<ChannelView>> {
    return this.rpc.call(listChannelsRpc, principal, pageOf(query));
  }
}
