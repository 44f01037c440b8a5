import type { Act } from '../audit.contract.js';
import type { ActSource, SignedIn, User } from '../signed-in.contract.js';

/** An act of a person in an organization, in the form of the audit log. */
export function userAct(user: Pick<User, 'id' | 'email'>, organizationId: string, source: ActSource): Act {
  return { organizationId, actor: { type: 'user', id: user.id, email: user.email }, ...source };
}

/** An act of a person in the organization of their session. */
export function signedInAct({ user, organization }: SignedIn, source: ActSource): Act {
  return userAct(user, organization.id, source);
}
