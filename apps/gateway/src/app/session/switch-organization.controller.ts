import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { SessionView } from '@switchboard/contracts/gateway/http';
import type { FastifyReply } from 'fastify';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { sessionOf, sourceOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { SessionAnswer } from '../../http/session/session-answer.js';
import { readSwitchOrganization, switchOrganizationBody } from './switch-organization.body.js';

/** `POST /app/api/switch-organization`: goes on in another organization of the person's, with a new cookie and token. */
@Controller('app/api/switch-organization')
export class SwitchOrganizationController {
  constructor(
    @Inject(PEOPLE) private readonly people: People,
    private readonly answer: SessionAnswer,
  ) {}

  @Post()
  @HttpCode(200)
  @Declare({
    access: 'session',
    roles: null,
    errors: [gatewayErrors.NOT_FOUND],
    input: readSwitchOrganization,
    docs: {
      operationId: 'switchOrganization',
      tag: 'Session',
      summary: 'Go on in another organization',
      description:
        'One session is in one organization. It goes on in the other one with a new cookie and a new token, and lasts no longer for it.',
      body: switchOrganizationBody,
      answers: { 200: { description: 'The session in its new organization.', body: 'Session' } },
    },
  })
  async switch(
    @Req() request: RequestOf<string>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const { edge } = request;
    const begun = await this.people.sessions.switchOrganization(sessionOf(request), edge.input, sourceOf(request));
    return this.answer.begin(request, reply, begun);
  }
}
