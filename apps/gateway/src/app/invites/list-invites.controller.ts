import { Controller, Get, Inject, Req } from '@nestjs/common';
import type { InviteView } from '@switchboard/contracts/gateway/http';
import type { Page } from '@switchboard/contracts/grammar/page';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { sessionOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { PageQuery, readPage } from '../../http/input/page.query.js';
import { inviteView, pageView } from '../member-view.policy.js';

/** `GET /app/api/invites`. Source: issue 5, members. */
@Controller('app/api/invites')
export class ListInvitesController {
  constructor(@Inject(PEOPLE) private readonly people: People) {}

  @Get()
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [],
    input: readPage,
    docs: {
      operationId: 'listInvites',
      tag: 'Members',
      summary: 'List open invitations',
      description: 'The invitations that can still be accepted, the newest first; their links are not shown again.',
      query: PageQuery,
      answers: { 200: { description: 'One page of invitations.', body: { pageOf: 'Invite' } } },
    },
  })
  async list(@Req() request: RequestOf<ReturnType<typeof readPage>>): Promise<Page<InviteView>> {
    const { organization } = sessionOf(request);
    return pageView(await this.people.invites.list(organization.id, request.edge.input), inviteView);
  }
}
