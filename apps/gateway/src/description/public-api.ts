import type { ApiDefinition, Wording, Wordings } from '@switchboard/openapi';

/** The groups of operations. */
const tags = {
  System: 'Credentials, channels and this description.',
  Messages: 'Send text messages and read their state.',
  Conversations: 'The inbox: one conversation for each channel and contact.',
  Contacts: 'Contacts and their opt-outs.',
  Templates: 'Message templates and their sending in bulk.',
  Analytics: 'Usage, delivery and templates in numbers.',
} as const;

/** The name of a group. */
export type ApiTag = keyof typeof tags;

/** Of a failure that may come after the commit. Source: docs/reliability.md, promise 2. */
const repeatableOnly =
  'The request may have taken effect. Send it again, later and with growing pauses, only where twice does no harm or with the ' +
  'same `Idempotency-Key`; without one look first: `X-Message-Id` names the message that may be stored.';

/** Nothing of the request is to be fixed: consent is the contact's. Source: docs/guides/consent.md. */
export const optedOut: Wording = {
  again: 'Not while the opt-out is in force; end it only when the contact asks for that.',
};

const wordings: Wordings = {
  CONTACT_OPTED_OUT: optedOut,
  CONFLICT: {
    meaning:
      'The `Idempotency-Key` was used for a request with another body; or, with `Retry-After`, its first request is ' +
      'still in flight',
    example: 'The `Idempotency-Key` was used for a request with another body; use another key',
    again: 'With `Retry-After`: send the same again after it. Without: take another key for the other body.',
  },
  INTERNAL: { again: repeatableOnly },
  SERVICE_UNAVAILABLE: { again: repeatableOnly },
};

/** Where integrators ask: the reference has the guides, and what to say of a request. */
export const contact = { name: 'Switchboard API support', path: '/docs' } as const;

/** The texts of the document of /v1 that belong to no route. */
export const publicApi: Pick<ApiDefinition, 'info' | 'tags' | 'securitySchemes' | 'wordings'> = {
  info: {
    title: 'Switchboard API',
    // The version of the description; that of the API is in its path. Source: docs/api-behaviour.md#versioning.
    version: '2.1.0',
    contact,
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  },
  tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'svc_live_…',
      description: 'An API key of the organization, made in the application.',
    },
  },
  wordings,
};
