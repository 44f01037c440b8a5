import type { FastifyRequest } from 'fastify';
import type { BodyDocs } from '../../http/route-docs.js';
import { readBody } from '../../http/input/read-input.js';
import { Cuid } from '../../http/input/text.decorator.js';

/** The body of `POST /app/api/switch-organization`. */
class SwitchOrganizationBody {
  @Cuid({ about: 'One of the `organizations` of the session.' })
  organizationId = '';
}

/** What the description says of the body. */
export const switchOrganizationBody: BodyDocs = {
  shape: SwitchOrganizationBody,
  examples: { other: { organizationId: 'cmiadkq0v5x8h2r7t1n4w9bze' } },
};

/** Where to. @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readSwitchOrganization(request: FastifyRequest): string {
  return readBody(SwitchOrganizationBody, request).organizationId;
}
