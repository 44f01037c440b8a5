import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { SessionView } from '@switchboard/contracts/gateway/http';
import type { FastifyReply } from 'fastify';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { FailedKeys } from '../../http/authentication/failed-keys.js';
import { sourceOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { SessionAnswer } from '../../http/session/session-answer.js';
import { acceptInviteBody, readAcceptInvite } from './accept-invite.body.js';

/** `POST /app/api/invites/accept`: who has the link becomes a member and is signed in. Source: issue 5, members. */
@Controller('app/api/invites/accept')
export class AcceptInviteController {
  constructor(
    @Inject(PEOPLE) private readonly people: People,
    private readonly answer: SessionAnswer,
    private readonly failedKeys: FailedKeys,
  ) {}

  @Post()
  @HttpCode(200)
  @Declare({
    access: 'visitor',
    errors: [
      gatewayErrors.UNAUTHORIZED,
      gatewayErrors.PAYMENT_REQUIRED,
      gatewayErrors.FORBIDDEN,
      gatewayErrors.NOT_FOUND,
      gatewayErrors.CONFLICT,
      gatewayErrors.RATE_LIMITED,
    ],
    input: readAcceptInvite,
    docs: {
      operationId: 'acceptInvite',
      tag: 'Members',
      summary: 'Accept an invitation',
      description:
        'Makes the invited person a member and signs them in there. Who has an account gives its password; who has none gets one with this password. A link is good once: after that, and when it has expired or was taken back, it is a 404.',
      body: acceptInviteBody,
      answers: { 200: { description: 'Who is signed in.', body: 'Session' } },
    },
  })
  async accept(
    @Req() request: RequestOf<ReturnType<typeof readAcceptInvite>>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const acceptance = { ...request.edge.input, formerSecret: this.answer.secretOf(request) };
    const begun = await this.failedKeys.slowed(request, () =>
      this.people.invites.accept(acceptance, sourceOf(request)),
    );
    return this.answer.begin(request, reply, begun);
  }
}
