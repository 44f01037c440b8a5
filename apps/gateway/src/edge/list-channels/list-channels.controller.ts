import { Controller, Get, Req } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { ChannelView } from '@switchboard/contracts/messaging/http';
import { listChannelsRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcClient } from '@switchboard/nats';
import type { FastifyRequest } from 'fastify';
import { principalOf, type RequestOf } from '../http/edge-request.js';
import { Declare } from '../http/route-declaration.js';
import { PageQuery, pageOf } from '../input/page.query.js';
import { readQuery } from '../input/read-input.js';

const readPage = (request: FastifyRequest): ReturnType<typeof pageOf> => pageOf(readQuery(PageQuery, request));

/** `GET /v1/channels`. Source: decisions, "Channels". */
@Controller('v1/channels')
export class ListChannelsController {
  constructor(private readonly rpc: RpcClient) {}

  @Get()
  @Declare({ access: 'key', scope: 'channels:read', errors: [], cost: 1, input: readPage })
  list(@Req() request: RequestOf<ReturnType<typeof pageOf>>): Promise<Page<ChannelView>> {
    return this.rpc.call(listChannelsRpc, principalOf(request), request.edge.input);
  }
}
