import { Controller, Inject, Patch, Req, Res } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { MemberView } from '@switchboard/contracts/gateway/http';
import type { FastifyReply } from 'fastify';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { sessionOf, sourceOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { memberView } from '../member-view.policy.js';
import { SessionAnswer } from '../../http/session/session-answer.js';
import { changeMemberBody, readChangeMember } from './change-member.body.js';

/** `PATCH /app/api/members/{id}`: another role. Source: issue 5, members. */
@Controller('app/api/members')
export class ChangeMemberController {
  constructor(
    @Inject(PEOPLE) private readonly people: People,
    private readonly answer: SessionAnswer,
  ) {}

  @Patch(':id')
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [gatewayErrors.NOT_FOUND, gatewayErrors.CONFLICT],
    input: readChangeMember,
    docs: {
      operationId: 'changeMember',
      tag: 'Members',
      summary: "Change a member's role",
      description:
        "The member's sessions in the organization end at once. Who changes their own role goes on with a new cookie; `GET /app/api/session` tells the new token. Owners change everybody, administrators everybody but owners; the last owner stays one (409).",
      body: changeMemberBody,
      answers: { 200: { description: 'The member as they are now.', body: 'Member' } },
    },
  })
  async change(
    @Req() request: RequestOf<ReturnType<typeof readChangeMember>>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MemberView> {
    const { input } = request.edge;
    const { member, renewed } = await this.people.members.changeRole(sessionOf(request), input, sourceOf(request));
    if (renewed) this.answer.renew(request, reply, renewed);
    return memberView(member);
  }
}
