import type { FastifyRequest } from 'fastify';
import { readBody } from '../input/read-input.js';
import { Cuid } from '../input/text.decorator.js';

/** The body of `POST /app/api/switch-organization`. */
class SwitchOrganizationBody {
  @Cuid()
  organizationId = '';
}

/** Where to. @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readSwitchOrganization(request: FastifyRequest): string {
  return readBody(SwitchOrganizationBody, request).organizationId;
}
