import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { sessionOf, sourceOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { SessionAnswer } from '../../http/session/session-answer.js';

/** `POST /app/api/sign-out-everywhere`: ends every session of the person; no request with one passes from then on. */
@Controller('app/api/sign-out-everywhere')
export class SignOutEverywhereController {
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
      operationId: 'signOutEverywhere',
      tag: 'Session',
      summary: 'Sign out everywhere',
      description: 'Ends every session of the person, in every organization and on every device, this one too.',
      answers: { 204: { description: 'All sessions have ended.', body: null } },
    },
  })
  async signOutEverywhere(
    @Req() request: RequestOf<undefined>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.people.sessions.endEverywhere(sessionOf(request), sourceOf(request));
    this.answer.end(request, reply);
  }
}
