import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Query, Res } from '@nestjs/common';
import type { MemberView } from '@switchboard/contracts/gateway/http';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { FastifyReply } from 'fastify';
import { PageQuery, pageOf } from '../../http/input/page.query.js';
import { CurrentSession, Principal, Source } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';
import { SessionAnswer } from '../../http/session/session-answer.js';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { memberView, pageView } from '../member-view.policy.js';
import { ChangeMemberBody, changeMemberBody } from './change-member.body.js';

/** `/app/api/members`. */
@Controller('app/api/members')
export class MembersController {
  constructor(
    @Inject(PEOPLE) private readonly people: People,
    private readonly answer: SessionAnswer,
  ) {}

  @Get()
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [],
    docs: {
      operationId: 'listMembers',
      tag: 'Members',
      summary: 'List members',
      description: 'The members of the organization, the latest first.',
      query: PageQuery,
      answers: { 200: { description: 'One page of members.', body: { pageOf: 'Member' } } },
    },
  })
  async list(@Principal() { organizationId }: Principal, @Query() query: PageQuery): Promise<Page<MemberView>> {
    return pageView(await this.people.members.list(organizationId, pageOf(query)), memberView);
  }

  @Patch(':id')
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [serviceErrors.NOT_FOUND, serviceErrors.CONFLICT],
    docs: {
      operationId: 'changeMember',
      tag: 'Members',
      summary: "Change a member's role",
      description:
        "The member's sessions in the organization end at once. A change of your own role renews your session's cookie; `GET /app/api/session` shows its new token. Owners change every member, administrators every member but owners; the last owner stays one (409).",
      body: changeMemberBody,
      answers: { 200: { description: 'The member as they are now.', body: 'Member' } },
    },
  })
  async change(
    @CurrentSession() session: CurrentSession,
    @Param('id') id: string,
    @Body() { role }: ChangeMemberBody,
    @Source() source: Source,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MemberView> {
    const { member, renewed } = await this.people.members.changeRole(session, { id, role }, source);
    if (renewed) this.answer.renew(reply, renewed);
    return memberView(member);
  }

  @Delete(':id')
  @HttpCode(204)
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [serviceErrors.NOT_FOUND, serviceErrors.CONFLICT],
    docs: {
      operationId: 'removeMember',
      tag: 'Members',
      summary: 'Remove a member',
      description:
        'Their sessions in the organization end at once; the API keys that they created stay. Owners remove every member, administrators every member but owners; the last owner stays (409).',
      answers: { 204: { description: 'The membership has ended.', body: null } },
    },
  })
  async remove(
    @CurrentSession() session: CurrentSession,
    @Param('id') id: string,
    @Source() source: Source,
  ): Promise<void> {
    await this.people.members.remove(session, id, source);
  }
}
