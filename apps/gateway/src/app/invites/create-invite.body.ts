import type { FastifyRequest } from 'fastify';
import { roles, type Role } from '../../identity/people.contract.js';
import type { BodyDocs } from '../../http/route-docs.js';
import { readBody } from '../../http/input/read-input.js';
import { Email, OneOf } from '../../http/input/text.decorator.js';

/** The body of `POST /app/api/invites`. */
class CreateInviteBody {
  @Email(320, { about: 'Who is invited; an earlier invitation of this address ends.' })
  email = '';

  @OneOf(roles, { about: 'What they are to be. Administrators can invite as all but `OWNER`.' })
  role: Role = 'MEMBER';
}

/** What the description says of the body. */
export const createInviteBody: BodyDocs = {
  shape: CreateInviteBody,
  examples: { member: { email: 'grace@example.org', role: 'MEMBER' } },
};

/** Who is invited as what. @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readCreateInvite(request: FastifyRequest): { readonly email: string; readonly role: Role } {
  return readBody(CreateInviteBody, request);
}
