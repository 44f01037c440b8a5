import { defineError } from '../grammar/app-error.js';

/** Refusals of webhooks. Source: docs/api-behaviour.md#errors-codes. */
export const webhooksErrors = {
  WEBHOOK_NOT_FOUND: defineError({
    code: 'WEBHOOK_NOT_FOUND',
    status: 404,
    message: 'Webhook not found',
    retry: 'after-fixing',
  }),
  DELIVERY_NOT_FOUND: defineError({
    code: 'DELIVERY_NOT_FOUND',
    status: 404,
    message: 'Delivery not found',
    retry: 'after-fixing',
  }),
} as const;
