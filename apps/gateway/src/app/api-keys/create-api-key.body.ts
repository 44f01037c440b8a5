import type { FastifyRequest } from 'fastify';
import { scopes, type Scope } from '../../identity/admission.contract.js';
import type { ApiKeyInput } from '../../identity/api-keys.contract.js';
import type { BodyDocs } from '../../http/route-docs.js';
import { readBody } from '../../http/input/read-input.js';
import { CodePoints } from '../../http/input/text.decorator.js';
import { WordList } from '../../http/input/word-list.decorator.js';

/** The body of `POST /app/api/api-keys`. Source: docs/api-behaviour.md#app-keys, docs/api-behaviour.md#scopes. */
class CreateApiKeyBody {
  @CodePoints(1, 100, { about: 'What the key is for; seen in the application alone.' })
  label = '';

  @WordList(scopes, {
    about: 'All that the key may do; left out or null, everything the plan includes, later versions too.',
    optional: true,
    nullable: true,
  })
  scopes: readonly Scope[] | null | undefined;
}

/** What the description says of the body. */
export const createApiKeyBody: BodyDocs = {
  shape: CreateApiKeyBody,
  examples: { till: { label: 'Till in the shop', scopes: ['messages:send', 'contacts:read'] } },
};

/** @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readCreateApiKey(request: FastifyRequest): ApiKeyInput {
  const { label, scopes = null } = readBody(CreateApiKeyBody, request);
  return { label, scopes };
}
