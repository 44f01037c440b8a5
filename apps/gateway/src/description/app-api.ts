import { failureWords } from '@switchboard/contracts/messaging/code-words';
import type { ApiDefinition, JsonObject, Wordings } from '@switchboard/openapi';
import { contact, optedOut } from './public-api.js';

/** The groups of operations. */
const tags = {
  Session: 'Signing in and out, and which organization is worked in.',
  'Second factor': 'Codes by an authenticator app, in addition to the password.',
  Members: "The organization's members and invitations.",
  Templates: 'Message templates and their sending in bulk.',
  Webhooks: 'Where events are sent, and what came of it.',
  Plan: 'What the organization pays for.',
  'API keys': 'Keys of the API under /v1. Their secrets are shown once.',
  'Audit log': 'Who did what, security-relevant acts alone.',
  Messages: 'What was sent and received.',
  Conversations: 'The inbox.',
  Events: 'What happens, as it happens.',
  Contacts: 'The people written to, and their opt-outs.',
  Sandbox: 'Recipients to be played, in the local run alone.',
  Channels: "The organization's sending lines.",
  Analytics: 'Figures of usage, delivery and templates.',
} as const;

/** The name of a group. */
export type AppTag = keyof typeof tags;

const introduction = `
What the application itself asks: people sign in by email and password, and act in one organization by their role there. For
programs there is the API under \`/v1\`, described at \`/v1/openapi.json\`; a session is no key, and a key is no session.

## Sessions

\`POST /app/api/sign-in\` answers with a cookie that scripts cannot read: \`__Host-switchboard_session\` over https,
\`switchboard_session\` otherwise. Everything under \`/app/api\` but what begins a session needs it: 401 \`UNAUTHORIZED\` without.
Whatever is not a GET also needs the header \`X-CSRF-Token\` with the token of the session, as \`GET /app/api/session\` and
signing in answer it, and must come from a page of this site (\`Origin\`): 403 \`FORBIDDEN\` otherwise, as for a role that does
not reach. A person without the second factor that the organization requires gets 403 \`SECOND_FACTOR_ENROLMENT_REQUIRED\`
everywhere but where a second factor is enabled, the session is read or ended, and the organization is switched.

## Errors

Every failure has the body \`{ "error": { "code", "message" } }\`. Branch on \`code\`; \`message\` is for people and may change.
Every answer carries \`X-Request-Id\`. Checked in this order: 401 session → 429 rate → 404 path, 405 method → 403 origin
and token → 403 second factor → 403 role → media type, size and JSON of the body → 400 fields → 402 plan → what the
operation itself refuses.

## Conventions

As those of \`/v1\`: ids are cuids, times ISO 8601 in UTC, lists \`{ items, nextCursor? }\`.
`.trim();

/** What /v1 has no case of, and what is said of opt-outs in both. */
const wordings: Wordings = {
  CONTACT_OPTED_OUT: optedOut,
  UNAUTHORIZED: {
    meaning: 'No session, or wrong credentials',
    example: 'Sign in first',
  },
  NOT_FOUND: { meaning: 'Path not found, or the organization has nothing with this id' },
  CONFLICT: {
    // Routes that take a key say what else it has.
    meaning:
      'The current state does not allow it, or another request changed it at the same moment; or, with `Retry-After`, an ' +
      'earlier request is still in flight',
    example: 'An organization must keep at least one owner',
    again:
      'Fix the request, or the resource it names, before you send it again; with `Retry-After`, send the same again after it.',
  },
};

/** The texts of the document of /app/api that belong to no route. Source: docs/api-behaviour.md#application. */
export const appApi: Pick<ApiDefinition, 'info' | 'introduction' | 'tags' | 'securitySchemes' | 'wordings'> = {
  info: {
    title: 'Switchboard application API',
    version: '1.0.0',
    contact,
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    // The console shows them; it knows nothing but this description.
    'x-failure-words': failureWords(),
  },
  introduction,
  tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  securitySchemes: {
    sessionCookie: cookie('__Host-switchboard_session', 'The session, over https.'),
    plainSessionCookie: cookie('switchboard_session', 'The session where the site is not on https.'),
  },
  wordings,
};

function cookie(name: string, description: string): JsonObject {
  return { type: 'apiKey', in: 'cookie', name, description };
}
