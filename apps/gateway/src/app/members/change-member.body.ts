import { IsIn } from 'class-validator';
import { About } from '../../http/input/field-description.js';
import type { BodyDocs } from '../../http/route-docs.js';
import { roles, type Role } from '../../identity/signed-in.contract.js';

/** The body of `PATCH /app/api/members/{id}`. */
export class ChangeMemberBody {
  @About('The new role. Administrators can give all but `OWNER`.')
  @IsIn(roles)
  role: Role = 'MEMBER';
}

/** The body in the description. */
export const changeMemberBody: BodyDocs = { shape: ChangeMemberBody, examples: { promote: { role: 'ADMIN' } } };
