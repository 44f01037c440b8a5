import { describe, expect, it } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CurrentSession } from '../../http/request.decorator.js';
import type { EventStreams } from './event-streams.js';
import { AppEventsController } from './events.controller.js';
import type { FeedReads } from './feed-reads.js';

describe('the refusal of a stream that would start nowhere', () => {
  const fromFeed = new AppError(serviceErrors.VALIDATION_FAILED, '`cursor` must be a `nextCursor` of this list');
  const down = new AppError(serviceErrors.SERVICE_UNAVAILABLE);

  const refusalOf = async (thrown: AppError, id?: string, cursor?: string): Promise<unknown> => {
    const streams = { keepPlace: () => undefined, givePlaceBack: () => undefined } as unknown as EventStreams;
    const reads = { after: () => Promise.reject(thrown) } as unknown as FeedReads;
    const request = { method: 'GET', headers: { 'last-event-id': id } } as unknown as FastifyRequest;
    const session = { sessionId: 'csession' } as CurrentSession;
    const reply = {} as FastifyReply;
    const controller = new AppEventsController(streams, reads);
    return controller
      .stream(systemPrincipal('cone', 'test'), session, { cursor }, request, reply)
      .catch((error: unknown) => error);
  };

  it('names what was sent: the header, which wins, or the query', async () => {
    const ofHeader = { code: 'VALIDATION_FAILED', message: '`Last-Event-ID` must be an id of this stream' };
    expect(await refusalOf(fromFeed, 'nonsense')).toMatchObject(ofHeader);
    expect(await refusalOf(fromFeed, 'czzzzzzzzz')).toMatchObject(ofHeader);
    expect(await refusalOf(fromFeed, 'czzzzzzzzz', 'c00000000')).toMatchObject(ofHeader);
    expect(await refusalOf(fromFeed, undefined, 'czzzzzzzzz')).toBe(fromFeed);
    expect(await refusalOf(fromFeed, '', 'czzzzzzzzz')).toBe(fromFeed);
    expect(await refusalOf(down, 'czzzzzzzzz')).toBe(down);
  });
});
