import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { SessionView } from '@switchboard/contracts/gateway/http';
import type { FastifyReply } from 'fastify';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { FailedKeys } from '../../http/authentication/failed-keys.js';
import { sourceOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { SessionAnswer } from '../../http/session/session-answer.js';
import { readSignIn, signInBody } from './sign-in.body.js';

/** `POST /app/api/sign-in`: a password for a session. Source: issue 5, "The application's API". */
@Controller('app/api/sign-in')
export class SignInController {
  constructor(
    @Inject(PEOPLE) private readonly people: People,
    private readonly answer: SessionAnswer,
    private readonly failedKeys: FailedKeys,
  ) {}

  @Post()
  @HttpCode(200)
  @Declare({
    access: 'visitor',
    errors: [gatewayErrors.UNAUTHORIZED, gatewayErrors.FORBIDDEN, gatewayErrors.RATE_LIMITED],
    input: readSignIn,
    docs: {
      operationId: 'signIn',
      tag: 'Session',
      summary: 'Sign in',
      description:
        'Begins a session in the organization that the person joined first; its cookie comes with the answer. An unknown address and a wrong password are answered alike. Guessing is slowed down, by account and by network address: 429 says when to come back.',
      body: signInBody,
      answers: { 200: { description: 'Who is signed in.', body: 'Session' } },
    },
  })
  async signIn(
    @Req() request: RequestOf<ReturnType<typeof readSignIn>>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const formerSecret = this.answer.secretOf(request);
    const attempt = { ...request.edge.input, formerSecret };
    const begun = await this.failedKeys.slowed(request, () => this.people.signIn.signIn(attempt, sourceOf(request)));
    return this.answer.begin(request, reply, begun);
  }
}
