import type { Role } from '../api/session.js';

/** A role as people read it. */
export function roleLabel(role: Role): string {
  return { OWNER: 'Owner', ADMIN: 'Admin', MEMBER: 'Member' }[role];
}
