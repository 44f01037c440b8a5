import { Controller, Delete, Get, HttpCode, Inject, Param, Query, Res } from '@nestjs/common';
import type { OwnSessionView } from '@switchboard/contracts/gateway/http';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { FastifyReply } from 'fastify';
import { PageQuery, pageOf } from '../../http/input/page.query.js';
import { CurrentSession, Source } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';
import { SessionAnswer } from '../../http/session/session-answer.js';
import { PEOPLE, type OwnSession, type People } from '../../identity/people.contract.js';
import { pageView } from '../member-view.policy.js';

/** `/app/api/sessions`: the person's own. Source: docs/api-behaviour.md#app-sessions. */
@Controller('app/api/sessions')
export class OwnSessionsController {
  constructor(
    @Inject(PEOPLE) private readonly people: People,
    private readonly answer: SessionAnswer,
  ) {}

  @Get()
  @Declare({
    access: 'session',
    roles: null,
    errors: [],
    docs: {
      operationId: 'listOwnSessions',
      tag: 'Session',
      summary: 'List your sessions',
      description: 'The open sessions of the person, in every organization and on every device, the newest first.',
      query: PageQuery,
      answers: { 200: { description: 'One page of sessions.', body: { pageOf: 'OwnSession' } } },
    },
  })
  async list(@CurrentSession() session: CurrentSession, @Query() query: PageQuery): Promise<Page<OwnSessionView>> {
    return pageView(await this.people.sessions.list(session, pageOf(query)), ownSessionView);
  }

  @Delete(':id')
  @HttpCode(204)
  @Declare({
    access: 'session',
    roles: null,
    errors: [serviceErrors.NOT_FOUND],
    docs: {
      operationId: 'endOwnSession',
      tag: 'Session',
      summary: 'End one of your sessions',
      description: 'Every request with it after this answer is refused. The session that asks can be ended as well.',
      answers: { 204: { description: 'The session has ended.', body: null } },
    },
  })
  async end(
    @CurrentSession() session: CurrentSession,
    @Param('id') id: string,
    @Source() source: Source,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.people.sessions.endOne(session, id, source);
    if (id === session.sessionId) this.answer.end(reply);
  }
}

function ownSessionView({ createdAt, lastUsedAt, ...session }: OwnSession): OwnSessionView {
  return { ...session, createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt.toISOString() };
}
