import { Body, Controller, HttpCode, Inject, Post, Res } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { SessionView } from '@switchboard/contracts/gateway/http';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { FastifyReply } from 'fastify';
import { FailedAttempts } from '../../http/authentication/failed-attempts.js';
import { CurrentSession, Source } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';
import { SessionAnswer } from '../../http/session/session-answer.js';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { ChangePasswordBody, changePasswordBody } from './change-password.body.js';

/** `/app/api/password`. */
@Controller('app/api/password')
export class PasswordController {
  constructor(
    @Inject(PEOPLE) private readonly people: People,
    private readonly answer: SessionAnswer,
    private readonly failedAttempts: FailedAttempts,
  ) {}

  @Post()
  @HttpCode(200)
  @Declare({
    access: 'session',
    roles: null,
    errors: [gatewayErrors.RATE_LIMITED, serviceErrors.CONFLICT],
    docs: {
      operationId: 'changePassword',
      tag: 'Session',
      summary: 'Change your password',
      description:
        'Every other session of the person ends; this one continues with a new cookie and a new token. Failed attempts at the current password are delayed as at sign-in.',
      body: changePasswordBody,
      answers: { 200: { description: 'The session under its new token.', body: 'Session' } },
    },
  })
  async change(
    @CurrentSession() session: CurrentSession,
    @Body() { current, new: next }: ChangePasswordBody,
    @Source() source: Source,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const begun = await this.failedAttempts.delayRefusal(source, () =>
      this.people.signIn.changePassword(session, { current, next }, source),
    );
    return this.answer.begin(reply, begun);
  }
}
