import type { Act } from '../audit.contract.js';
import type { ActSource, SignedIn, User } from '../people.contract.js';

/** An act of a person in an organization, as the audit log wants it. */
export function userAct(user: Pick<User, 'id' | 'email'>, organizationId: string, source: ActSource): Act {
  return { organizationId, actor: { type: 'user', id: user.id, email: user.email }, ...source };
}

/** An act of somebody who is signed in, in the organization of their session. */
export function signedInAct({ user, organization }: SignedIn, source: ActSource): Act {
  return userAct(user, organization.id, source);
}
