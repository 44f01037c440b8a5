import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { SessionView } from '@switchboard/contracts/gateway/http';
import type { FastifyReply } from 'fastify';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { FailedKeys } from '../../http/authentication/failed-keys.js';
import { sessionOf, sourceOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { SessionAnswer } from '../../http/session/session-answer.js';
import { changePasswordBody, readChangePassword } from './change-password.body.js';

/** `POST /app/api/password`: changes the own password; all other sessions end, this one gets a new cookie and token. */
@Controller('app/api/password')
export class ChangePasswordController {
  constructor(
    @Inject(PEOPLE) private readonly people: People,
    private readonly answer: SessionAnswer,
    private readonly failedKeys: FailedKeys,
  ) {}

  @Post()
  @HttpCode(200)
  @Declare({
    access: 'session',
    roles: null,
    errors: [gatewayErrors.RATE_LIMITED, gatewayErrors.CONFLICT],
    input: readChangePassword,
    docs: {
      operationId: 'changePassword',
      tag: 'Session',
      summary: 'Change the own password',
      description:
        'Every other session of the person ends; this one goes on with a new cookie and a new token. Guesses of the current password are slowed down as at sign-in.',
      body: changePasswordBody,
      answers: { 200: { description: 'The session under its new token.', body: 'Session' } },
    },
  })
  async change(
    @Req() request: RequestOf<ReturnType<typeof readChangePassword>>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const { input } = request.edge;
    const begun = await this.failedKeys.slowed(request, () =>
      this.people.signIn.changePassword(sessionOf(request), input, sourceOf(request)),
    );
    return this.answer.begin(request, reply, begun);
  }
}
