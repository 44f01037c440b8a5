import { Controller, Get, Query, Res } from '@nestjs/common';
import { listEventsRpc } from '@switchboard/contracts/webhooks/rpc';
import { RpcClient } from '@switchboard/nats';
import type { FastifyReply } from 'fastify';
import { momentOf } from '../../http/input/moment.policy.js';
import { pageOf } from '../../http/input/page.query.js';
import { Principal } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';
import { eventTypesOf, ListEventsQuery } from './list-events.query.js';

/** `/v1/events`. Source: docs/api-behaviour.md#events-feed. */
@Controller('v1/events')
export class EventsController {
  constructor(private readonly rpc: RpcClient) {}

  @Get()
  @Declare({
    access: 'key',
    scope: 'events:read',
    errors: [],
    cost: 1,
    docs: {
      operationId: 'listEvents',
      tag: 'System',
      summary: 'Read events',
      description:
        'What webhooks carry, oldest first, kept for at least 7 days: the way to catch up after an outage, or to live without a public ' +
        'URL. `nextCursor` is always present, on an empty page too, and a filter still advances it: a reader that continues ' +
        'with it misses no event and sees none twice. Of large events a page has fewer than `limit`: ' +
        'some 700 KB, or one. With `type` a page looks at 20,000 events at most, and may be empty before the end.',
      query: ListEventsQuery,
      answers: {
        200: {
          description: 'A page of events. There are no more so far when `nextCursor` is the `cursor` that was sent.',
          body: 'EventFeed',
        },
      },
    },
  })
  async list(
    @Principal() principal: Principal,
    @Query() query: ListEventsQuery,
    @Res() reply: FastifyReply,
  ): Promise<FastifyReply> {
    const from = query.from === undefined ? null : (momentOf(query.from)?.toISOString() ?? null);
    const request = { ...pageOf(query), types: eventTypesOf(query), from };
    const { bodies, nextCursor } = await this.rpc.call(listEventsRpc, principal, request);
    // The stored texts as they are: parsed and written anew, a field whose name is a number would change its place.
    const page = `{"items":[${bodies.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`;
    return reply.code(200).type('application/json; charset=utf-8').send(page);
  }
}
