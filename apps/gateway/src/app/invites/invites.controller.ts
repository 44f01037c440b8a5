import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { InviteView, NewInviteView, SessionView } from '@switchboard/contracts/gateway/http';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { FastifyReply } from 'fastify';
import { FailedAttempts } from '../../http/authentication/failed-attempts.js';
import { PageQuery, pageOf } from '../../http/input/page.query.js';
import { CallerOrigin, CurrentSession, Principal, Source } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';
import { SessionAnswer } from '../../http/session/session-answer.js';
import { SessionCookie } from '../../http/session/session-cookie.js';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { inviteView, pageView } from '../member-view.policy.js';
import { AcceptInviteBody, acceptInviteBody } from './accept-invite.body.js';
import { CreateInviteBody, createInviteBody } from './create-invite.body.js';

/** `/app/api/invites`. */
@Controller('app/api/invites')
export class InvitesController {
  constructor(
    @Inject(PEOPLE) private readonly people: People,
    private readonly site: SessionCookie,
    private readonly answer: SessionAnswer,
    private readonly failedAttempts: FailedAttempts,
  ) {}

  @Get()
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [],
    docs: {
      operationId: 'listInvites',
      tag: 'Members',
      summary: 'List open invitations',
      description: 'The invitations that can still be accepted, the newest first; their links are not shown again.',
      query: PageQuery,
      answers: { 200: { description: 'One page of invitations.', body: { pageOf: 'Invite' } } },
    },
  })
  async list(@Principal() { organizationId }: Principal, @Query() query: PageQuery): Promise<Page<InviteView>> {
    return pageView(await this.people.invites.list(organizationId, pageOf(query)), inviteView);
  }

  @Post()
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [serviceErrors.CONFLICT, serviceErrors.PAYMENT_REQUIRED],
    docs: {
      operationId: 'createInvite',
      tag: 'Members',
      summary: 'Invite a person',
      description:
        'Creates a link for one person, valid for seven days, and shows it once: send it to them, the platform does not. Members and open invitations together take the seats of the plan (402). The address of a member is 409.',
      body: createInviteBody,
      answers: { 201: { description: 'The invitation, with its link.', body: 'NewInvite' } },
    },
  })
  async create(
    @CurrentSession() session: CurrentSession,
    @Body() body: CreateInviteBody,
    @Source() source: Source,
    @CallerOrigin() callerOrigin: CallerOrigin,
  ): Promise<NewInviteView> {
    const invite = await this.people.invites.create(session, body, source);
    // Behind the #: browsers do not send that part, so that no log and no referrer holds it.
    const link = `${this.site.originOf(callerOrigin)}/app/accept-invite#${invite.secret}`;
    return { ...inviteView(invite), link, token: invite.secret };
  }

  @Delete(':id')
  @HttpCode(204)
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [serviceErrors.NOT_FOUND],
    docs: {
      operationId: 'revokeInvite',
      tag: 'Members',
      summary: 'Revoke an invitation',
      description: 'Its link is no longer valid. Administrators cannot revoke the invitation of an owner.',
      answers: { 204: { description: 'The invitation is revoked.', body: null } },
    },
  })
  async revoke(
    @CurrentSession() session: CurrentSession,
    @Param('id') id: string,
    @Source() source: Source,
  ): Promise<void> {
    await this.people.invites.revoke(session, id, source);
  }

  @Post('accept')
  @HttpCode(200)
  @Declare({
    access: 'visitor',
    errors: [
      gatewayErrors.UNAUTHORIZED,
      gatewayErrors.SECOND_FACTOR_REQUIRED,
      gatewayErrors.SECOND_FACTOR_INVALID,
      serviceErrors.PAYMENT_REQUIRED,
      gatewayErrors.FORBIDDEN,
      serviceErrors.NOT_FOUND,
      serviceErrors.CONFLICT,
      gatewayErrors.RATE_LIMITED,
    ],
    docs: {
      operationId: 'acceptInvite',
      tag: 'Members',
      summary: 'Accept an invitation',
      description:
        'Makes the invited person a member and signs them in there. A person with an account accepts in a session of it, or gives its password; any other gets an account with this password. A link is valid once: after that, expired or revoked, or when its maker may no longer invite in that role, it is 404.',
      body: acceptInviteBody,
      answers: { 200: { description: 'The new session.', body: 'Session' } },
    },
  })
  async accept(
    @Body() { token, name, password, code = null }: AcceptInviteBody,
    @Source() source: Source,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const formerSecret = this.answer.formerSecret(reply);
    const acceptance = { secret: token, name: name ?? null, password: password ?? null, code, formerSecret };
    const begun = await this.failedAttempts.delayRefusal(source, () => this.people.invites.accept(acceptance, source));
    return this.answer.begin(reply, begun);
  }
}
