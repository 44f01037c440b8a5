import type { FastifyRequest } from 'fastify';
import { roles, type Role } from '../../identity/people.contract.js';
import type { BodyDocs } from '../../http/route-docs.js';
import { readBody, readId } from '../../http/input/read-input.js';
import { OneOf } from '../../http/input/text.decorator.js';

/** The body of `PATCH /app/api/members/{id}`. */
class ChangeMemberBody {
  @OneOf(roles, { about: 'The role to be. Administrators can give all but `OWNER`.' })
  role: Role = 'MEMBER';
}

/** What the description says of the body. */
export const changeMemberBody: BodyDocs = { shape: ChangeMemberBody, examples: { promote: { role: 'ADMIN' } } };

/** Who is to be what. @throws AppError VALIDATION_FAILED, MALFORMED_BODY */
export function readChangeMember(request: FastifyRequest): { readonly id: string; readonly role: Role } {
  return { id: readId(request), role: readBody(ChangeMemberBody, request).role };
}
