import { Body, Controller, Get, HttpCode, Inject, Post, Res } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { SessionView } from '@switchboard/contracts/gateway/http';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { FastifyReply } from 'fastify';
import { FailedAttempts } from '../../http/authentication/failed-attempts.js';
import { CurrentSession, Source } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';
import { SessionAnswer } from '../../http/session/session-answer.js';
import { SessionRate } from '../../http/session/session-rate.js';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import { SignInBody, signInBody } from './sign-in.body.js';
import { SwitchOrganizationBody, switchOrganizationBody } from './switch-organization.body.js';

/** `/app/api/session` and what begins, moves and ends it. Source: docs/api-behaviour.md#app-sessions. */
@Controller('app/api')
export class SessionController {
  constructor(
    @Inject(PEOPLE) private readonly people: People,
    private readonly answer: SessionAnswer,
    private readonly failedAttempts: FailedAttempts,
    private readonly rate: SessionRate,
  ) {}

  @Post('sign-in')
  @HttpCode(200)
  @Declare({
    access: 'visitor',
    errors: [
      gatewayErrors.UNAUTHORIZED,
      gatewayErrors.SECOND_FACTOR_REQUIRED,
      gatewayErrors.SECOND_FACTOR_INVALID,
      gatewayErrors.FORBIDDEN,
      gatewayErrors.RATE_LIMITED,
    ],
    docs: {
      operationId: 'signIn',
      tag: 'Session',
      summary: 'Sign in',
      description:
        'Begins a session in the organization that the person used last, else in the one joined first; its cookie comes with the answer. An unknown address and a wrong password are answered alike. Failed attempts are limited: 429 says when to try again. For a person with a second factor a right password alone is 401 `SECOND_FACTOR_REQUIRED`: ask again with `code` as well. A browser that has signed in to the account before, as its second cookie shows, has attempts of its own; others share those of the account, and slow each other down on one network address.',
      body: signInBody,
      answers: { 200: { description: 'The new session.', body: 'Session' } },
    },
  })
  async signIn(
    @Body() { email, password, code = null }: SignInBody,
    @Source() source: Source,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const attempt = { email, password, code, formerSecret: this.answer.formerSecret(reply) };
    const begun = await this.failedAttempts.delayRefusal(source, () => this.people.signIn.signIn(attempt, source));
    return this.answer.begin(reply, begun);
  }

  @Get('session')
  @Declare({
    access: 'session',
    roles: null,
    isOpenWithoutSecondFactor: true,
    errors: [],
    docs: {
      operationId: 'getSession',
      tag: 'Session',
      summary: 'Read the session',
      description: 'The person, the organization and the role of the session, and the token that changes need.',
      answers: { 200: { description: 'The session.', body: 'Session' } },
    },
  })
  get(@CurrentSession() session: CurrentSession): Promise<SessionView> {
    return this.answer.view(session, session.csrfToken);
  }

  @Post('sign-out')
  @HttpCode(204)
  @Declare({
    access: 'session',
    roles: null,
    isOpenWithoutSecondFactor: true,
    errors: [],
    docs: {
      operationId: 'signOut',
      tag: 'Session',
      summary: 'Sign out',
      description: 'Ends this session: every request with it after this answer is refused.',
      answers: { 204: { description: 'The session has ended.', body: null } },
    },
  })
  async signOut(
    @CurrentSession() session: CurrentSession,
    @Source() source: Source,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.people.sessions.end(session, source);
    this.answer.end(reply);
  }

  @Post('sign-out-everywhere')
  @HttpCode(204)
  @Declare({
    access: 'session',
    roles: null,
    isOpenWithoutSecondFactor: true,
    errors: [],
    docs: {
      operationId: 'signOutEverywhere',
      tag: 'Session',
      summary: 'Sign out everywhere',
      description: 'Ends every session of the person, in every organization and on every device, this one too.',
      answers: { 204: { description: 'All sessions have ended.', body: null } },
    },
  })
  async signOutEverywhere(
    @CurrentSession() session: CurrentSession,
    @Source() source: Source,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.people.sessions.endEverywhere(session, source);
    this.answer.end(reply);
  }

  @Post('switch-organization')
  @HttpCode(200)
  @Declare({
    access: 'session',
    roles: null,
    isOpenWithoutSecondFactor: true,
    errors: [serviceErrors.NOT_FOUND],
    docs: {
      operationId: 'switchOrganization',
      tag: 'Session',
      summary: 'Switch the organization',
      description:
        'A session is in one organization. It continues in the other one with a new cookie and a new token, and ends no later than before.',
      body: switchOrganizationBody,
      answers: { 200: { description: 'The session in its new organization.', body: 'Session' } },
    },
  })
  async switchOrganization(
    @CurrentSession() session: CurrentSession,
    @Body() { organizationId }: SwitchOrganizationBody,
    @Source() source: Source,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const begun = await this.people.sessions.switchOrganization(session, organizationId, source);
    this.rate.goOn(session.sessionId, begun.signedIn.sessionId);
    return this.answer.begin(reply, begun);
  }
}
