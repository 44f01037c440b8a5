import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { SessionView } from '@switchboard/contracts/gateway/http';
import type { FastifyReply } from 'fastify';
import { PEOPLE, type People } from '../../organization/people.contract.js';
import { sessionOf, sourceOf, type RequestOf } from '../http/edge-request.js';
import { Declare } from '../http/route-declaration.js';
import { SessionAnswer } from '../session/session-answer.js';
import { readChangePassword } from './change-password.body.js';

/** `POST /app/api/password`: changes the own password; all other sessions end, this one gets a new cookie and token. */
@Controller('app/api/password')
export class ChangePasswordController {
  constructor(
    @Inject(PEOPLE) private readonly people: People,
    private readonly answer: SessionAnswer,
  ) {}

  @Post()
  @HttpCode(200)
  @Declare({
    access: 'session',
    roles: null,
    errors: [gatewayErrors.RATE_LIMITED, gatewayErrors.CONFLICT],
    input: readChangePassword,
  })
  async change(
    @Req() request: RequestOf<ReturnType<typeof readChangePassword>>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const { input } = request.edge;
    const begun = await this.people.signIn.changePassword(sessionOf(request), input, sourceOf(request));
    return this.answer.begin(request, reply, begun);
  }
}
