import { defineError } from '../grammar/app-error.js';

/** Refusals of contacts. Source: docs/api-behaviour.md#errors-codes. */
export const contactsErrors = {
  CONTACT_NOT_FOUND: defineError({
    code: 'CONTACT_NOT_FOUND',
    status: 404,
    message: 'Contact not found',
    retry: 'after-fixing',
  }),
  OPT_OUT_NOT_FOUND: defineError({
    code: 'OPT_OUT_NOT_FOUND',
    status: 404,
    message: 'Opt-out not found',
    retry: 'after-fixing',
  }),
} as const;
