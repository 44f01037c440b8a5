import { Controller, Get, Req } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { ChannelView } from '@switchboard/contracts/messaging/http';
import { listChannelsRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcClient } from '@switchboard/nats';
import type { FastifyRequest } from 'fastify';
import { principalOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { PageQuery, pageOf } from '../../http/input/page.query.js';
import { readQuery } from '../../http/input/read-input.js';

const readPage = (request: FastifyRequest): ReturnType<typeof pageOf> => pageOf(readQuery(PageQuery, request));

/** `GET /v1/channels`. Source: docs/api-behaviour.md#channels. */
@Controller('v1/channels')
export class ListChannelsController {
  constructor(private readonly rpc: RpcClient) {}

  @Get()
  @Declare({
    access: 'key',
    scope: 'channels:read',
    errors: [],
    cost: 1,
    input: readPage,
    docs: {
      operationId: 'listChannels',
      tag: 'System',
      summary: 'List channels',
      description: "The organization's sending lines, newest first; one of them is the default.",
      query: PageQuery,
      answers: { 200: { description: 'A page of channels.', body: { pageOf: 'Channel' } } },
    },
  })
  list(@Req() request: RequestOf<ReturnType<typeof pageOf>>): Promise<Page<ChannelView>> {
    return this.rpc.call(listChannelsRpc, principalOf(request), request.edge.input);
  }
}
