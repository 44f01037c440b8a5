import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { ApiKeyView } from '@switchboard/contracts/gateway/http';
import { API_KEYS, type ApiKeys } from '../../identity/api-keys.contract.js';
import { actOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';
import { readId } from '../../http/input/read-input.js';

/** `POST /app/api/api-keys/{id}/revoke`: exact, see `ApiKeys.revoke`. Source: docs/api-behaviour.md#keys-revocation. */
@Controller('app/api/api-keys')
export class RevokeApiKeyController {
  constructor(@Inject(API_KEYS) private readonly apiKeys: ApiKeys) {}

  @Post(':id/revoke')
  @HttpCode(200)
  @Declare({
    access: 'session',
    roles: ['OWNER', 'ADMIN'],
    errors: [gatewayErrors.API_KEY_NOT_FOUND],
    input: readId,
    docs: {
      operationId: 'revokeApiKey',
      tag: 'API keys',
      summary: 'Revoke an API key',
      description:
        'For good, and at once: no request that begins after this answer is let in with the key. What is under way may finish. A key that is revoked already stays as it is.',
      answers: { 200: { description: 'The key, revoked.', body: 'ApiKey' } },
    },
  })
  revoke(@Req() request: RequestOf<string>): Promise<ApiKeyView> {
    return this.apiKeys.revoke(actOf(request), request.edge.input);
  }
}
