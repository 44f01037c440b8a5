import { defineError } from '../grammar/app-error.js';

/** Refusals of the HTTP edge; those that any service answers with are `serviceErrors`. Source: docs/api-behaviour.md#errors-codes. */
export const gatewayErrors = {
  MALFORMED_BODY: defineError({
    code: 'MALFORMED_BODY',
    status: 400,
    message: 'The body is not well-formed JSON',
    retry: 'after-fixing',
  }),
  UNAUTHORIZED: defineError({ code: 'UNAUTHORIZED', status: 401, message: 'Invalid API key', retry: 'after-fixing' }),
  SECOND_FACTOR_REQUIRED: defineError({
    code: 'SECOND_FACTOR_REQUIRED',
    status: 401,
    message: '`code` of your second factor is required',
    retry: 'after-fixing',
  }),
  SECOND_FACTOR_INVALID: defineError({
    code: 'SECOND_FACTOR_INVALID',
    status: 401,
    message: 'The code of the second factor is wrong or used',
    retry: 'after-fixing',
  }),
  SECOND_FACTOR_ENROLMENT_REQUIRED: defineError({
    code: 'SECOND_FACTOR_ENROLMENT_REQUIRED',
    status: 403,
    message: 'The organization requires a second factor; enable yours first',
    retry: 'after-fixing',
  }),
  INSUFFICIENT_SCOPE: defineError({
    code: 'INSUFFICIENT_SCOPE',
    status: 403,
    message: 'The API key lacks the scope of this endpoint',
    retry: 'after-fixing',
  }),
  FORBIDDEN: defineError({ code: 'FORBIDDEN', status: 403, message: 'The request is not allowed', retry: 'never' }),
  API_KEY_NOT_FOUND: defineError({
    code: 'API_KEY_NOT_FOUND',
    status: 404,
    message: 'API key not found',
    retry: 'after-fixing',
  }),
  METHOD_NOT_ALLOWED: defineError({
    code: 'METHOD_NOT_ALLOWED',
    status: 405,
    message: 'Method not allowed',
    example: 'Method not allowed; this path allows GET, HEAD',
    retry: 'after-fixing',
  }),
  REQUEST_TIMEOUT: defineError({
    code: 'REQUEST_TIMEOUT',
    status: 408,
    message: 'The request did not arrive in time',
    retry: 'later',
  }),
  PAYLOAD_TOO_LARGE: defineError({
    code: 'PAYLOAD_TOO_LARGE',
    status: 413,
    message: 'The body exceeds the size limit of this endpoint',
    retry: 'after-fixing',
  }),
  URI_TOO_LONG: defineError({
    code: 'URI_TOO_LONG',
    status: 414,
    message: 'The request target exceeds 8,192 bytes',
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
    message: 'The headers exceed 16,384 bytes in total',
    retry: 'after-fixing',
  }),
} as const;
