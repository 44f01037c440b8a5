import { Controller, Inject, Post, Req } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { NewInviteView } from '@switchboard/contracts/gateway/http';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { sessionOf, sourceOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { inviteView } from '../member-view.policy.js';
import { SessionCookie } from '../../http/session/session-cookie.js';
import { createInviteBody, readCreateInvite } from './create-invite.body.js';

/** `POST /app/api/invites`. Source: issue 5, members. */
@Controller('app/api/invites')
export class CreateInviteController {
  constructor(
    @Inject(PEOPLE) private readonly people: People,
    private readonly site: SessionCookie,
  ) {}

  @Post()
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [gatewayErrors.CONFLICT, gatewayErrors.PAYMENT_REQUIRED],
    input: readCreateInvite,
    docs: {
      operationId: 'createInvite',
      tag: 'Members',
      summary: 'Invite somebody',
      description:
        'Makes a link that is good for one person and seven days, and shows it once: send it to them, the platform does not. Members and open invitations together take the seats of the plan (402). Somebody who is a member already is a 409.',
      body: createInviteBody,
      answers: { 201: { description: 'The invitation, with its link.', body: 'NewInvite' } },
    },
  })
  async create(@Req() request: RequestOf<ReturnType<typeof readCreateInvite>>): Promise<NewInviteView> {
    const { input } = request.edge;
    const invite = await this.people.invites.create(sessionOf(request), input, sourceOf(request));
    // Behind the #: browsers send that part to nobody, so that it is in no log and no referrer.
    const link = `${this.site.originOf(request)}/app/accept-invite#${invite.secret}`;
    return { ...inviteView(invite), link, token: invite.secret };
  }
}
