import { Controller, Inject, Post, Req } from '@nestjs/common';
import type { NewApiKeyView } from '@switchboard/contracts/gateway/http';
import { API_KEYS, type ApiKeys, type ApiKeyInput } from '../../identity/api-keys.contract.js';
import { actOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { createApiKeyBody, readCreateApiKey } from './create-api-key.body.js';

/** `POST /app/api/api-keys`. Source: docs/api-behaviour.md#app-keys. */
@Controller('app/api/api-keys')
export class CreateApiKeyController {
  constructor(@Inject(API_KEYS) private readonly apiKeys: ApiKeys) {}

  @Post()
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [],
    input: readCreateApiKey,
    docs: {
      operationId: 'createApiKey',
      tag: 'API keys',
      summary: 'Create an API key',
      description:
        'The secret is in this answer and nowhere else: only its hash is stored. Scopes of a key never change; make another key, switch over, revoke the old one. A key outlives the membership of its maker.',
      body: createApiKeyBody,
      answers: { 201: { description: 'The key, with its secret.', body: 'NewApiKey' } },
    },
  })
  create(@Req() request: RequestOf<ApiKeyInput>): Promise<NewApiKeyView> {
    return this.apiKeys.create(actOf(request), request.edge.input);
  }
}
