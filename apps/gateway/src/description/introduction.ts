import { cuidPattern } from '@switchboard/contracts/grammar/cuid';
import { testing } from './testing.js';

const MIB = 1_024 * 1_024;

/** Sizes above which a request is refused. */
export interface RequestSizes {
  readonly bodyBytesMax: number;
  readonly uriBytesMax: number;
  readonly headerBytesMax: number;
}

/** What an integrator must know before the first request, in Markdown. Source: docs/api-behaviour.md#basics. */
export function introductionOf(sizes: RequestSizes): string {
  return `
Send chat messages, read the inbox, keep contacts and their opt-outs, over HTTP and JSON. Every request acts on exactly one
organization: the one that the API key belongs to.

## Authentication

\`Authorization: Bearer <API key>\` on every request under \`/v1\` but this description. Keys begin with \`svc_live_\`; they are
made, shown once and revoked in the application. A key may be limited to scopes; each operation names the one that it needs.
A missing, malformed, unknown or revoked key is answered 401 \`UNAUTHORIZED\`, always in the same words.

## Conventions

- **Ids** are opaque texts of the form \`${cuidPattern}\` (\`cuid\`). An id of another organization is answered like one that does
  not exist.
- **Times** are ISO 8601 in UTC with milliseconds. Where a time is taken, a date alone (00:00 UTC) or a full form with or
  without offset (then UTC) will do.
- **Phone numbers** are answered in E.164 (\`+14155550123\`). Other common ways of writing are understood; E.164 is the safe one.
- **Lengths of texts** are counted in Unicode code points. NUL and lone surrogates are refused.
- **Fields**: unknown body fields and query parameters are ignored; a query parameter that is known may not be empty or
  repeated. \`null\` in an optional field means that it is left out, unless the field says otherwise. A body is ignored where none is taken. Fields may be added to answers: ignore those that you do not know.
- **Sizes**: bodies up to ${sizes.bodyBytesMax / MIB} MiB and 32 levels of nesting, request targets up to ${sizes.uriBytesMax.toLocaleString('en')} bytes, headers up to ${sizes.headerBytesMax.toLocaleString('en')} bytes in all.
- **Channels**: a channel is a sending line. Where \`messagingChannelId\` may be left out, the organization's default channel is
  meant; with several channels, name one.

## Pagination

Lists answer \`{ items, nextCursor? }\`. Pass \`nextCursor\` as \`cursor\` for the next page; where it is absent, the list has ended.
\`limit\` is 1 to 100, 25 when left out. Lists are newest first, with two exceptions: \`GET /v1/events\` is oldest first
and always has a \`nextCursor\`, and the recipients of a bulk send are in the order of the request. A walk shows no row twice; in the list of conversations, one
that got a message meanwhile is at the top of a new walk. A cursor stays good when its row is deleted. A filter by an id that
does not exist gives an empty list.

## Errors

Every failure has the body \`{ "error": { "code", "message" } }\`. Branch on \`code\`; \`message\` is for people, names the field,
and may change. Every answer carries \`X-Request-Id\`. What can go wrong is checked in this order, and the first that does is
answered: 401 key → 429 rate → 403 scope → 404 path, 405 method (with \`Allow\`) → media type, size and JSON of the body →
replay of an idempotency key → 400 fields → 402 plan → 404 of what is named → 403 not connected, 400 template not approved →
400 phone, 400 variables → 403 opted out → 402 quota.

## Rate limits

An organization has one rate over all its keys. Every authenticated answer carries \`RateLimit-Limit\`, \`RateLimit-Remaining\`
and \`RateLimit-Reset\` (seconds). 429 \`RATE_LIMITED\` carries \`Retry-After\` and costs nothing. A flood of bad keys from one
address is slowed down, and then answered 429 too.

## Trying again

- 429 and 408 took nothing: repeat after \`Retry-After\` seconds, and with growing pauses.
- 500, 503 and lost answers: the request may have taken effect. Repeat reads, and what does no harm twice, with growing pauses and after \`Retry-After\`;
  a send only with the same \`Idempotency-Key\`, or without one look first. Where a refusal or failure carries
  \`X-Message-Id\`, \`GET /v1/messages/{id}\` returns the state of the message.
- Other 4xx: fix the request, or the resource it names, first; a 409 with \`Retry-After\` passes unchanged after it. A refusal with \`X-Message-Id\` is
  given again under its \`Idempotency-Key\` for 24 hours: once its cause is gone, take a new key.
- **A message that FAILED with \`UPSTREAM_OUTCOME_UNKNOWN\` may have been delivered.** Whether the
  provider took it cannot be known. Do not send it again blindly: the recipient may read it twice.
- \`upstreamMessageId: null\` in the answer to a send means that the message is stored and QUEUED; it is settled in the background
  for up to 24 hours. It is not a failure: do not send it again.

## The earlier base

Any request to \`/api/v1/…\` is answered 308 with the same path and query under \`/v1\` in \`Location\`, with \`Deprecation\`
(RFC 9745) and \`Link\`, before the key is looked at. **Many clients drop \`Authorization\` when a redirect leads to another host**
and are then answered 401: move to the canonical base.

## Webhooks

Events are described below under Webhooks: their bodies, headers and signatures. Webhooks are registered in the application.
An event is sent up to three times (at once, after 30 s, after 5 min) until a 2xx comes within 10 s, and each reaches you at
least once or exhausts its attempts; \`GET /v1/events\` has them all for at least 7 days. A body is \`{ event, timestamp, organizationId, data }\`; \`data.id\` is what to deduplicate by, \`data.sequence\` grows within a
conversation, and \`data\` also holds the resource in full, as this API shows it. Over 256 KB the resource becomes
\`{ id, summarised: true }\`: read it by its id. Verify \`X-Service-Signature\` over the raw bytes, before any parsing, in constant
time.

${testing}

## Versions

The version of the API is in the path. Within v1 fields, routes, error codes and words of enumerations may be added. The enumerations of this
description are those of today: a client must not fail at a word that is not in them, as some generated ones do.
`.trim();
}
