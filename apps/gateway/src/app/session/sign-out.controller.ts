import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { sessionOf, sourceOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { SessionAnswer } from '../../http/session/session-answer.js';

/** `POST /app/api/sign-out`: ends this session; no request with it passes from then on. */
@Controller('app/api/sign-out')
export class SignOutController {
  constructor(
    @Inject(PEOPLE) private readonly people: People,
    private readonly answer: SessionAnswer,
  ) {}

  @Post()
  @HttpCode(204)
  @Declare({
    access: 'session',
    roles: null,
    errors: [],
    docs: {
      operationId: 'signOut',
      tag: 'Session',
      summary: 'Sign out',
      description: 'Ends this session: no request with it passes once this is answered.',
      answers: { 204: { description: 'The session has ended.', body: null } },
    },
  })
  async signOut(@Req() request: RequestOf<undefined>, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    await this.people.sessions.end(sessionOf(request), sourceOf(request));
    this.answer.end(request, reply);
  }
}
