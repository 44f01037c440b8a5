import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { LOG, type Log } from '@switchboard/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpenRequests } from './open-requests.js';
import { refusalOfThrown, sendRefusal } from './refusal.js';

/** Puts whatever was thrown, in hooks, parsers, handlers or Fastify itself, into the envelope. */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  constructor(
    @Inject(LOG) private readonly log: Log,
    private readonly openRequests: OpenRequests,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const [request, reply] = host.getArgs<[FastifyRequest, FastifyReply]>();
    if (reply.sent) return;
    // Fastify would cut the connection after a bad body, and a client that is still sending would lose the answer. Node
    // reads and drops the rest, within the request's time.
    if (!this.openRequests.isStopping) reply.removeHeader('connection');
    sendRefusal(request, reply, refusalOfThrown(thrown, this.log, request.routeOptions.url ?? 'unmatched'));
  }
}
