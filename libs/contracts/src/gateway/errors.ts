import { defineError } from '../grammar/app-error.js';

/** What the HTTP edge itself can refuse. Source: docs/api-behaviour.md#errors-codes. */
export const gatewayErrors = {
  VALIDATION_FAILED: defineError({
    code: 'VALIDATION_FAILED',
    status: 400,
    message: 'The request is not valid',
    example: 'The request must have exactly one `Host` header',
    retry: 'after-fixing',
  }),
  MALFORMED_BODY: defineError({
    code: 'MALFORMED_BODY',
    status: 400,
    message: 'The body is not well-formed JSON',
    retry: 'after-fixing',
  }),
  UNAUTHORIZED: defineError({ code: 'UNAUTHORIZED', status: 401, message: 'Invalid API key', retry: 'after-fixing' }),
  PAYMENT_REQUIRED: defineError({
    code: 'PAYMENT_REQUIRED',
    status: 402,
    message: 'The subscription does not cover this action',
    example: 'The subscription is canceled',
    retry: 'after-fixing',
  }),
  INSUFFICIENT_SCOPE: defineError({
    code: 'INSUFFICIENT_SCOPE',
    status: 403,
    message: 'The API key lacks the scope that this endpoint needs',
    retry: 'after-fixing',
  }),
  FORBIDDEN: defineError({ code: 'FORBIDDEN', status: 403, message: 'This request is not allowed', retry: 'never' }),
  NOT_FOUND: defineError({
    code: 'NOT_FOUND',
    status: 404,
    message: 'There is nothing at this path',
    retry: 'after-fixing',
  }),
  API_KEY_NOT_FOUND: defineError({
    code: 'API_KEY_NOT_FOUND',
    status: 404,
    message: 'There is no such API key',
    retry: 'after-fixing',
  }),
  METHOD_NOT_ALLOWED: defineError({
    code: 'METHOD_NOT_ALLOWED',
    status: 405,
    message: 'This path does not answer that method',
    example: 'This path answers GET, HEAD only',
    retry: 'after-fixing',
  }),
  REQUEST_TIMEOUT: defineError({
    code: 'REQUEST_TIMEOUT',
    status: 408,
    message: 'The request did not arrive in time',
    retry: 'later',
  }),
  CONFLICT: defineError({
    code: 'CONFLICT',
    status: 409,
    message: 'The request conflicts with an earlier one of its `Idempotency-Key`, or with what stands',
    retry: 'after-fixing',
  }),
  PAYLOAD_TOO_LARGE: defineError({
    code: 'PAYLOAD_TOO_LARGE',
    status: 413,
    message: 'The body is larger than this endpoint takes',
    retry: 'after-fixing',
  }),
  URI_TOO_LONG: defineError({
    code: 'URI_TOO_LONG',
    status: 414,
    message: 'The request target is longer than 8,192 bytes',
    retry: 'after-fixing',
  }),
  UNSUPPORTED_MEDIA_TYPE: defineError({
    code: 'UNSUPPORTED_MEDIA_TYPE',
    status: 415,
    message: '`Content-Type` must be application/json',
    retry: 'after-fixing',
  }),
  RATE_LIMITED: defineError({ code: 'RATE_LIMITED', status: 429, message: 'Too many requests', retry: 'later' }),
  HEADERS_TOO_LARGE: defineError({
    code: 'HEADERS_TOO_LARGE',
    status: 431,
    message: 'The headers are larger than 16,384 bytes in all',
    retry: 'after-fixing',
  }),
  INTERNAL: defineError({
    code: 'INTERNAL',
    status: 500,
    message: 'Something went wrong on our side; the X-Request-Id helps us to find it',
    retry: 'later',
  }),
  SERVICE_UNAVAILABLE: defineError({
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
    message: 'The service cannot take the request at the moment',
    retry: 'later',
  }),
} as const;
