import { Controller, Get, Inject, Req } from '@nestjs/common';
import type { MemberView } from '@switchboard/contracts/gateway/http';
import type { Page } from '@switchboard/contracts/grammar/page';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { sessionOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { PageQuery, readPage } from '../../http/input/page.query.js';
import { memberView, pageView } from '../member-view.policy.js';

/** `GET /app/api/members`. Source: issue 5, members. */
@Controller('app/api/members')
export class ListMembersController {
  constructor(@Inject(PEOPLE) private readonly people: People) {}

  @Get()
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [],
    input: readPage,
    docs: {
      operationId: 'listMembers',
      tag: 'Members',
      summary: 'List members',
      description: 'The members of the organization, those who joined last first.',
      query: PageQuery,
      answers: { 200: { description: 'One page of members.', body: { pageOf: 'Member' } } },
    },
  })
  async list(@Req() request: RequestOf<ReturnType<typeof readPage>>): Promise<Page<MemberView>> {
    const { organization } = sessionOf(request);
    return pageView(await this.people.members.list(organization.id, request.edge.input), memberView);
  }
}
