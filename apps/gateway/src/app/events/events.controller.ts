import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { isCuid } from '@switchboard/contracts/grammar/cuid';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentSession, Principal } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';
import { EventStreams, type StreamPlace } from './event-streams.js';
import { FeedReads } from './feed-reads.js';
import { StreamEventsQuery } from './stream-events.query.js';

/** `/app/api/events`: the feed of events as a stream. Source: docs/api-behaviour.md#app-events. */
@Controller('app/api/events')
export class AppEventsController {
  constructor(
    private readonly streams: EventStreams,
    private readonly reads: FeedReads,
  ) {}

  @Get()
  @Declare({
    access: 'session',
    roles: null,
    errors: [],
    docs: {
      operationId: 'streamEvents',
      tag: 'Events',
      summary: 'Stream events',
      description:
        'Server-sent events, for `EventSource`. The first one is `ready`: read the present state after it, and miss nothing. ' +
        'Each further one has the body of a webhook as its `data`, in the order of `GET /v1/events`. Its `id` is where the ' +
        'stream goes on with `Last-Event-ID`, at any gateway, as long as events are kept. A comment comes every 15 seconds. ' +
        'The stream ends within a second of its session, and so does one whose reader takes nothing for 10 seconds. A session ' +
        'has 10 streams at most, an organization 100 at each gateway: one more is 429.',
      query: StreamEventsQuery,
      requestHeaders: ['Last-Event-ID'],
      answers: { 200: { description: 'The stream; it has no end of its own.', body: 'EventStream' } },
    },
  })
  async stream(
    @Principal() principal: Principal,
    @CurrentSession() { sessionId }: CurrentSession,
    @Query() query: StreamEventsQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const place = { organizationId: principal.organizationId, sessionId };
    this.streams.keepPlace(place);
    try {
      const id = lastEventId(request);
      await this.begin(principal, place, id ?? query.cursor, request, reply).catch((error: unknown) => {
        // The feed names its own field.
        const isOfPlace = error instanceof AppError && error.code === serviceErrors.VALIDATION_FAILED.code;
        throw id !== undefined && isOfPlace ? noEventId() : error;
      });
    } finally {
      this.streams.givePlaceBack(place);
    }
  }

  private async begin(
    principal: Principal,
    place: StreamPlace,
    given: string | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    // Read before the head goes out: a cursor that is none is refused as any input is.
    const first = given === undefined ? null : await this.reads.after(principal, given);
    const cursor = given ?? (await this.reads.end(principal));
    reply.header('content-type', 'text/event-stream; charset=utf-8');
    if (request.method === 'HEAD') return void reply.send();
    const { raw: response } = reply.hijack();
    if (response.destroyed) return;
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) response.setHeader(name, value);
    }
    // Proxies must not collect it.
    response.setHeader('x-accel-buffering', 'no');
    response.writeHead(200);
    request.state.answeredMs = performance.now();
    let known = first;
    const read = async (after: string): ReturnType<FeedReads['after']> => {
      const page = known ?? (await this.reads.after(principal, after));
      known = null;
      return page;
    };
    this.streams.begin({ ...place, response, cursor, read });
  }
}

/** @throws AppError VALIDATION_FAILED */
function lastEventId({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id'];
  if (id === undefined || id === '') return undefined;
  if (isCuid(id)) return id;
  throw noEventId();
}

function noEventId(): AppError {
  return new AppError(serviceErrors.VALIDATION_FAILED, '`Last-Event-ID` must be an id of this stream');
}
