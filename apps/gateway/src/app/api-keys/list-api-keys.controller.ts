import { Controller, Get, Inject, Req } from '@nestjs/common';
import type { ApiKeyView } from '@switchboard/contracts/gateway/http';
import type { Page } from '@switchboard/contracts/grammar/page';
import { API_KEYS, type ApiKeys } from '../../identity/api-keys.contract.js';
import { sessionOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { PageQuery, readPage } from '../../http/input/page.query.js';

/** `GET /app/api/api-keys`. Source: docs/api-behaviour.md#app-keys. */
@Controller('app/api/api-keys')
export class ListApiKeysController {
  constructor(@Inject(API_KEYS) private readonly apiKeys: ApiKeys) {}

  @Get()
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [],
    input: readPage,
    docs: {
      operationId: 'listApiKeys',
      tag: 'API keys',
      summary: 'List API keys',
      description: 'The newest first, revoked ones too. Secrets are not shown again.',
      query: PageQuery,
      answers: { 200: { description: 'A page of keys.', body: { pageOf: 'ApiKey' } } },
    },
  })
  list(@Req() request: RequestOf<ReturnType<typeof readPage>>): Promise<Page<ApiKeyView>> {
    return this.apiKeys.list(sessionOf(request).organization.id, request.edge.input);
  }
}
