import { Controller, Get, Req } from '@nestjs/common';
import type { SessionView } from '@switchboard/contracts/gateway/http';
import { sessionOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { SessionAnswer } from '../../http/session/session-answer.js';

/** `GET /app/api/session`: who is signed in, and the token for what is to come. */
@Controller('app/api/session')
export class GetSessionController {
  constructor(private readonly answer: SessionAnswer) {}

  @Get()
  @Declare({
    access: 'session',
    roles: null,
    errors: [],
    docs: {
      operationId: 'getSession',
      tag: 'Session',
      summary: 'Who is signed in',
      description: 'Tells the person, the organization and the role of the session, and the token that changes need.',
      answers: { 200: { description: 'The session.', body: 'Session' } },
    },
  })
  async get(@Req() request: RequestOf<undefined>): Promise<SessionView> {
    const session = sessionOf(request);
    return this.answer.view(session, session.csrfToken);
  }
}
