import { defineError } from './app-error.js';

/** Codes that any service answers with. Source: docs/api-behaviour.md#errors-codes. */
export const serviceErrors = {
  VALIDATION_FAILED: defineError({
    code: 'VALIDATION_FAILED',
    status: 400,
    message: 'A field of the request is not valid',
    example: 'The request must have exactly one `Host` header',
    retry: 'after-fixing',
  }),
  INVALID_TRANSITION: defineError({
    code: 'INVALID_TRANSITION',
    status: 400,
    message: 'The current status does not allow this change',
    example: 'A conversation cannot move from ARCHIVED to CLOSED',
    retry: 'after-fixing',
  }),
  PAYMENT_REQUIRED: defineError({
    code: 'PAYMENT_REQUIRED',
    status: 402,
    message: 'The subscription, its plan or the monthly quota does not cover this request',
    example: 'The subscription is canceled',
    retry: 'after-fixing',
  }),
  NOT_FOUND: defineError({
    code: 'NOT_FOUND',
    status: 404,
    message: 'Path not found',
    retry: 'after-fixing',
  }),
  CONFLICT: defineError({
    code: 'CONFLICT',
    status: 409,
    message: 'The request conflicts with the current state or with an earlier request of its `Idempotency-Key`',
    retry: 'after-fixing',
  }),
  INTERNAL: defineError({
    code: 'INTERNAL',
    status: 500,
    message: 'Internal error; `X-Request-Id` identifies the request in our logs',
    retry: 'if-repeatable',
  }),
  SERVICE_UNAVAILABLE: defineError({
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
    message: 'The service cannot answer the request at the moment',
    retry: 'if-repeatable',
  }),
} as const;
