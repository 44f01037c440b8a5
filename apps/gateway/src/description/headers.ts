import type { JsonObject } from '@switchboard/openapi';
import { exampleIds } from './example-values.js';

const wholeNumber = { type: 'integer', minimum: 0 } as const;

/** Headers that only some answers carry, by name. Source: docs/api-behaviour.md#errors. */
const answerHeaders = {
  ETag: {
    description: 'Changes when the content does; sent back as `If-None-Match`, it is answered 304.',
    required: true,
    schema: { type: 'string', pattern: '^(W/)?".+"$' },
    example: '"mG4HFvEyWDSIaZPXW0XNIQ"',
  },
  'X-Message-Id': {
    description:
      'Present when the refusal is about a message that was stored: read it by `GET /v1/messages/{id}` before sending again.',
    schema: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
    example: exampleIds.outbound,
  },
  'X-Upstream-Code': {
    description:
      "The provider's own code, when the refusal repeats one of the provider about a message that was stored; absent otherwise.",
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: '131026',
  },
  'Idempotent-Replayed': {
    description:
      '`true` when an earlier request with the same `Idempotency-Key` was carried out, and this one was not; absent otherwise.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'Idempotency-Mismatch': {
    description: '`true` when the `Idempotency-Key` was first used with another body; absent otherwise.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  Location: {
    description: 'Where the job is read.',
    required: true,
    schema: { type: 'string', pattern: '^/(v1|app/api)/templates/send/c[0-9a-z]{6,31}$' },
    example: `/v1/templates/send/${exampleIds.job}`,
  },
} as const satisfies Readonly<Record<string, JsonObject>>;

/** A header that a route may say of an answer. */
export type AnswerHeader = keyof typeof answerHeaders;

/** The key as it reaches us: HTTP takes spaces at the ends away (RFC 9110, 5.5). */
const idempotencyKeyPattern = '^[!-~]([ -~]{0,198}[!-~])?$';

/** Headers that requests may carry in addition to `Authorization`, by name. */
const requestHeaders = {
  'Idempotency-Key': {
    description:
      'Your own name for this request, 1 to 200 printable ASCII characters. The same key with the same body within 24 hours is answered ' +
      'with the first committed answer again, byte for byte, and nothing is sent a second time. That of a bulk send is kept as ' +
      'long as its job, and answered with its present state; those of an API key and of a webhook are kept as long as these.',
    schema: { type: 'string', pattern: idempotencyKeyPattern },
  },
  'X-CSRF-Token': {
    description: 'The token of the session, as `GET /app/api/session` answers it.',
    required: true,
    schema: { type: 'string', minLength: 1 },
    example: 'rWq0kq3m9yXy0b2vP8c6Tg5s1hJ4nD7fLzE2aQ9uKxM',
  },
  'Last-Event-ID': {
    description: 'The `id` of the last event that the reader has; browsers send it when they open the stream again.',
    schema: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
    example: 'c000000000000000000000001z',
  },
  'If-None-Match': {
    description: 'The `ETag` of your cached copy: 304 without a body while it is current.',
    schema: { type: 'string' },
    example: '"mG4HFvEyWDSIaZPXW0XNIQ"',
  },
} as const satisfies Readonly<Record<string, JsonObject>>;

/** A header that a route may say of its requests. */
export type RequestHeader = keyof typeof requestHeaders;

/**
 * Headers that any answer may carry, by the name of their component. Source: docs/api-behaviour.md#errors-request-id,
 * docs/api-behaviour.md#rate-limit.
 */
const commonHeaders = {
  RequestId: {
    description: "The request's trace id. Quote it to support; it finds every log line and span of the request.",
    required: true,
    schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
    example: '4bf92f3577b34da6a3ce929d0e0e4736',
  },
  RateLimitLimit: rateLimit('Requests that an organization at rest may make at once.', 1000, { required: true }),
  RateLimitRemaining: rateLimit('Requests that would pass now.', 997, { required: true }),
  RateLimitReset: rateLimit('Whole seconds until `RateLimit-Remaining` is `RateLimit-Limit` again.', 1, {
    required: true,
  }),
  PossibleRateLimitLimit: rateLimit('As `RateLimit-Limit`; absent when the key was not looked at.', 1000),
  PossibleRateLimitRemaining: rateLimit('As `RateLimit-Remaining`; absent when the key was not looked at.', 0),
  PossibleRateLimitReset: rateLimit('As `RateLimit-Reset`; absent when the key was not looked at.', 1),
  RetryAfter: {
    description: 'Whole seconds to wait before the request is sent again, at least 1.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  PossibleRetryAfter: {
    description: 'As `Retry-After`; absent when the same request will not pass later either.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  WwwAuthenticate: {
    description: 'How to send the API key.',
    required: true,
    schema: { type: 'string', enum: ['Bearer'] },
    example: 'Bearer',
  },
  WwwAuthenticateCookie: {
    description: 'How to send the session.',
    required: true,
    schema: { type: 'string', enum: ['Cookie'] },
    example: 'Cookie',
  },
  SetCookie: {
    description: 'The cookie of the session, when it begins, changes or ends.',
    schema: { type: 'string' },
    example: 'switchboard_session=…; Max-Age=43200; Path=/; HttpOnly; SameSite=Lax',
  },
  Allow: {
    description: 'The methods that this path answers.',
    required: true,
    schema: { type: 'string' },
    example: 'GET, HEAD, POST',
  },
} as const satisfies Readonly<Record<string, JsonObject>>;

/** The header components of answers, by name. */
export const headerComponents: Readonly<Record<string, JsonObject>> = {
  ...commonHeaders,
  ...Object.fromEntries(Object.entries(answerHeaders).map(([name, header]) => [componentOf(name), header])),
};

function rateLimit(description: string, example: number, presence: { readonly required?: true } = {}): JsonObject {
  return { description, ...presence, schema: wholeNumber, example };
}

/** The parameter components of request headers, by name. */
export const requestHeaderParameters: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  Object.entries(requestHeaders).map(([name, header]) => [name, { name, in: 'header', ...header }]),
);

/** The name of a header's component: `X-Message-Id` is `XMessageId`. */
export function componentOf(header: string): string {
  return header.replaceAll('-', '');
}
