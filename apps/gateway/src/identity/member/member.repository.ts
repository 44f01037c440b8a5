import { statement } from '@switchboard/postgres';
import type { Role } from '../people.contract.js';

/** A membership with its person. */
export interface MemberRow {
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly userName: string;
  readonly role: Role;
  readonly createdAt: Date;
}

/** What a person belongs to, by name. $1 user. */
export const organizationsOfUser = statement<{ readonly id: string; readonly name: string; readonly role: Role }>(
  'gateway.organizations-of-user',
  `SELECT o.id, o.name, m.role FROM membership m JOIN organization o ON o.id = m.organization_id
   WHERE m.user_id = $1 ORDER BY o.name, o.id`,
);

/** The organization that a person joined first: a sign-in begins there. $1 user. */
export const firstOrganizationOfUser = statement<{ readonly organizationId: string }>(
  'gateway.first-organization-of-user',
  `SELECT organization_id AS "organizationId" FROM membership WHERE user_id = $1 ORDER BY id LIMIT 1`,
);

/**
 * Before anything of an organization's people is changed: such changes come one after the other, and what each reads of
 * owners and seats still holds when it commits. Requests are not held up: they read. $1 organization.
 */
export const lockOrganization = statement<{ readonly seats: number }>(
  'gateway.lock-organization-people',
  `SELECT coalesce(o.seats_max, p.seats_max) AS seats FROM organization o JOIN plan p ON p.name = o.plan
   WHERE o.id = $1 FOR NO KEY UPDATE OF o`,
);

const MEMBER = `m.id, u.id AS "userId", u.email, u.name AS "userName", m.role, m.created_at AS "createdAt"`;

/** Newest first by the primary key of a few hundred rows. $1 organization, $2 cursor or null, $3 how many. */
export const listMembers = statement<MemberRow>(
  'gateway.list-members',
  `SELECT ${MEMBER} FROM membership m JOIN user_account u ON u.id = m.user_id
   WHERE m.organization_id = $1 AND ($2::text IS NULL OR m.id < $2) ORDER BY m.id DESC LIMIT $3`,
);

/** $1 organization, $2 id. */
export const findMember = statement<MemberRow>(
  'gateway.find-member',
  `SELECT ${MEMBER} FROM membership m JOIN user_account u ON u.id = m.user_id
   WHERE m.id = $2 AND m.organization_id = $1`,
);

/** $1 organization, $2 address in small letters. */
export const findMemberByEmail = statement<{ readonly id: string }>(
  'gateway.find-member-by-email',
  `SELECT m.id FROM user_account u JOIN membership m ON m.organization_id = $1 AND m.user_id = u.id WHERE u.email = $2`,
);

/** Is there another owner than this member? $1 organization, $2 id. */
export const hasOtherOwner = statement<{ readonly is: boolean }>(
  'gateway.has-other-owner',
  `SELECT EXISTS (SELECT FROM membership WHERE organization_id = $1 AND role = 'OWNER' AND id <> $2) AS is`,
);

/** Members and invitations that can still be accepted. $1 organization, $2 now. */
export const countSeats = statement<{ readonly members: number; readonly invites: number }>(
  'gateway.count-seats',
  `SELECT (SELECT count(*) FROM membership WHERE organization_id = $1)::integer AS members,
     (SELECT count(*) FROM invite WHERE organization_id = $1 AND expires_at > $2)::integer AS invites`,
);

/** $1 id, $2 organization, $3 user, $4 role. Makes and returns nothing for a person who is a member. */
export const insertMembership = statement<{ readonly id: string }>(
  'gateway.insert-membership',
  `INSERT INTO membership (id, organization_id, user_id, role) VALUES ($1, $2, $3, $4)
   ON CONFLICT (organization_id, user_id) DO NOTHING RETURNING id`,
);

/** $1 id, $2 role. */
export const changeMemberRole = statement(
  'gateway.change-member-role',
  'UPDATE membership SET role = $2 WHERE id = $1',
);

/** $1 id. */
export const deleteMembership = statement('gateway.delete-membership', 'DELETE FROM membership WHERE id = $1');
