import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { ApiTag } from '../http/route-docs.js';
import type { ApiFrame } from './api-frame.js';
import { introduction } from './introduction.js';
import type { Wordings } from './refusals.js';
import { webhookParameters, webhooks } from './webhooks.js';

/** Source: docs/api-behaviour.md#wire. */
const tags: Readonly<Record<ApiTag, string>> = {
  System: 'Credentials, channels and this description.',
  Messages: 'Send text messages and read what became of them.',
  Conversations: 'The inbox: one conversation for each channel and contact.',
  Contacts: 'Contacts and their opt-outs.',
  Templates: 'Message templates and their sending in bulk. Planned: this version has no operation of it yet.',
  Analytics: 'Usage and delivery in numbers. Planned: this version has no operation of it yet.',
};

const wordings: Wordings = {
  CONFLICT: {
    meaning:
      'The `Idempotency-Key` was used for a request with another body; or, where `Retry-After` tells when to ask again, its ' +
      'first request is still in flight',
    example: 'The `Idempotency-Key` was used for a request with another body; take another key',
    again: 'With `Retry-After`: send the same again after it. Without: take another key for the other body.',
  },
};

/** What the description of /v1 says apart from its routes. Source: docs/api-behaviour.md#versioning. */
export const publicApi: ApiFrame = {
  info: {
    title: 'Switchboard API',
    // The version of the description; that of the API is in its path. Source: docs/api-behaviour.md#versioning.
    version: '2.1.0',
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  },
  introduction,
  tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'svc_live_…',
      description: 'An API key of the organization, made in the application.',
    },
  },
  // OpenAPI 3.1 lets a scheme that is not OAuth name what else is needed: the scope.
  securityOf: (scope) => [{ apiKey: scope === null ? [] : [scope] }],
  webhooks,
  parameters: webhookParameters,
  wordings,
  unrouted: {
    method: 'GET',
    access: 'key',
    scope: null,
    roles: null,
    errors: [gatewayErrors.NOT_FOUND, gatewayErrors.METHOD_NOT_ALLOWED],
    headers: [],
    wordings,
    bodyUse: null,
    sentences: { VALIDATION_FAILED: 'The path is not well-formed: its percent-encoding is wrong' },
  },
};
