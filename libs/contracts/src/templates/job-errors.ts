import { defineError } from '../grammar/app-error.js';

/** Refusals of bulk sends. Source: docs/api-behaviour.md#errors-codes, docs/api-behaviour.md#bulk-sends-create. */
export const jobErrors = {
  TEMPLATE_NOT_APPROVED: defineError({
    code: 'TEMPLATE_NOT_APPROVED',
    status: 400,
    message: 'The template is not approved',
    example: 'The template is PAUSED; only an APPROVED one can be sent',
    retry: 'after-fixing',
  }),
  TEMPLATE_VARIABLES_MISMATCH: defineError({
    code: 'TEMPLATE_VARIABLES_MISMATCH',
    status: 400,
    message: 'The variables of a recipient do not fit the template',
    example: '`recipients` do not fit the template: [3]: `variables` must be an array of 2 strings',
    retry: 'after-fixing',
  }),
  JOB_NOT_FOUND: defineError({
    code: 'JOB_NOT_FOUND',
    status: 404,
    message: 'Job not found',
    retry: 'after-fixing',
  }),
} as const;
