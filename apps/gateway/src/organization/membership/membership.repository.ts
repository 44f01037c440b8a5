import { statement } from '@switchboard/postgres';
import type { Role } from '../people.contract.js';

/** What a person belongs to, by name. $1 user. */
export const organizationsOfUser = statement<{ readonly id: string; readonly name: string; readonly role: Role }>(
  'gateway.organizations-of-user',
  `SELECT o.id, o.name, m.role FROM membership m JOIN organization o ON o.id = m.organization_id
   WHERE m.user_id = $1 ORDER BY o.name, o.id`,
);

/** Where a person begins who signs in: what they joined first. $1 user. */
export const firstOrganizationOfUser = statement<{ readonly organizationId: string }>(
  'gateway.first-organization-of-user',
  `SELECT organization_id AS "organizationId" FROM membership WHERE user_id = $1 ORDER BY id LIMIT 1`,
);
