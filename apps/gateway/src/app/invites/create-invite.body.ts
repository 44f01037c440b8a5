import { IsIn } from 'class-validator';
import { About } from '../../http/input/field-description.js';
import { EmailAddress } from '../../http/input/text.decorator.js';
import type { BodyDocs } from '../../http/route-docs.js';
import { roles, type Role } from '../../identity/signed-in.contract.js';

/** The body of `POST /app/api/invites`. */
export class CreateInviteBody {
  @About('The address to invite; an earlier invitation of this address ends.')
  @EmailAddress(320)
  email = '';

  @About('The role of the new member. Administrators can give all but `OWNER`.')
  @IsIn(roles)
  role: Role = 'MEMBER';
}

/** The body in the description. */
export const createInviteBody: BodyDocs = {
  shape: CreateInviteBody,
  examples: { member: { email: 'grace@example.org', role: 'MEMBER' } },
};
