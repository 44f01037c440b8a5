import { contactsErrors } from './contacts/errors.js';
import { gatewayErrors } from './gateway/errors.js';
import type { ErrorDefinition } from './grammar/app-error.js';
import { serviceErrors } from './grammar/errors.js';
import { messagingErrors } from './messaging/errors.js';
import { templatesErrors } from './templates/errors.js';
import { jobErrors } from './templates/job-errors.js';
import { webhooksErrors } from './webhooks/errors.js';

/** Every code that the product answers with, by code: the one source of `docs/errors.md` and of the OpenAPI description. */
export const errorRegistry: ReadonlyMap<string, ErrorDefinition> = new Map(
  [serviceErrors, gatewayErrors, messagingErrors, contactsErrors, templatesErrors, jobErrors, webhooksErrors]
    .flatMap((errors): ErrorDefinition[] => Object.values(errors))
    .map((definition) => [definition.code, definition]),
);

/** The definition of a code that arrived from another service; unknown ones are bugs and read as INTERNAL. */
export function errorByCode(code: string): ErrorDefinition {
  return errorRegistry.get(code) ?? serviceErrors.INTERNAL;
}
