import { defineError } from '../grammar/app-error.js';

/** Refusals of templates. Source: docs/api-behaviour.md#errors-codes. */
export const templatesErrors = {
  TEMPLATE_NOT_FOUND: defineError({
    code: 'TEMPLATE_NOT_FOUND',
    status: 404,
    message: 'Template not found',
    retry: 'after-fixing',
  }),
} as const;
