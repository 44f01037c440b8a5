import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { ApiKeyView, NewApiKeyView } from '@switchboard/contracts/gateway/http';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { FastifyReply } from 'fastify';
import { revokedKeyExample } from '../../description/people-examples.js';
import { PageQuery, pageOf } from '../../http/input/page.query.js';
import { Idempotency, Principal, SessionAct } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';
import { API_KEYS, type ApiKeys } from '../../identity/api-keys.contract.js';
import { CreateApiKeyBody, createApiKeyBody } from './create-api-key.body.js';

/** `/app/api/api-keys`. Source: docs/api-behaviour.md#app-keys, docs/api-behaviour.md#keys-revocation. */
@Controller('app/api/api-keys')
export class ApiKeysController {
  constructor(@Inject(API_KEYS) private readonly apiKeys: ApiKeys) {}

  @Post()
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [serviceErrors.CONFLICT],
    takesIdempotencyKey: true,
    docs: {
      operationId: 'createApiKey',
      tag: 'API keys',
      summary: 'Create an API key',
      description:
        'The secret is in this answer and nowhere else: only its hash is stored. Scopes of a key never change; make another key, switch over, revoke the old one. A key outlives the membership of the person who creates it. Repeated with its `Idempotency-Key`, a request makes no second key: within 24 hours the key is answered again, with a new secret that ends the former one, unless it was used or revoked; then, and with another body, it is 409. 409 with `Retry-After`: another request with the `Idempotency-Key` was under way at the same time; send yours again.',
      requestHeaders: ['Idempotency-Key'],
      body: createApiKeyBody,
      answers: {
        201: { description: 'The key, with its secret.', body: 'NewApiKey', headers: ['Idempotent-Replayed'] },
      },
      sentences: {
        CONFLICT:
          'This `Idempotency-Key` made the API key c000000000000000000000001z, which is in use, revoked or older than 24 hours; use another one',
      },
    },
  })
  async create(
    @SessionAct() act: SessionAct,
    @Body() body: CreateApiKeyBody,
    @Idempotency() request: Idempotency,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewApiKeyView> {
    // A body that is refused has made nothing that could be answered instead.
    if (request?.refusal) throw request.refusal;
    const { label, scopes = null } = body;
    const { apiKey, isRepetition } = await this.apiKeys.create(act, { label, scopes }, request);
    if (isRepetition) reply.header('idempotent-replayed', 'true');
    return apiKey;
  }

  @Get()
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [],
    docs: {
      operationId: 'listApiKeys',
      tag: 'API keys',
      summary: 'List API keys',
      description: 'The newest first, revoked ones too. Secrets are not shown again.',
      query: PageQuery,
      answers: { 200: { description: 'A page of keys.', body: { pageOf: 'ApiKey' } } },
    },
  })
  list(@Principal() { organizationId }: Principal, @Query() query: PageQuery): Promise<Page<ApiKeyView>> {
    return this.apiKeys.list(organizationId, pageOf(query));
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [gatewayErrors.API_KEY_NOT_FOUND],
    docs: {
      operationId: 'revokeApiKey',
      tag: 'API keys',
      summary: 'Revoke an API key',
      description:
        'For good, and at once: every request with the key that begins after this answer is refused. Requests under way may finish. A revoked key stays as it is.',
      answers: {
        200: { description: 'The key, revoked.', body: 'ApiKey', examples: { revoked: revokedKeyExample } },
      },
    },
  })
  revoke(@SessionAct() act: SessionAct, @Param('id') id: string): Promise<ApiKeyView> {
    return this.apiKeys.revoke(act, id);
  }
}
