import { statement } from '@switchboard/postgres';
import type { AuditedState } from '../audit.contract.js';
import type { Role } from '../signed-in.contract.js';

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

/** Where a sign-in begins: in the organization that the person used last, else in the one they joined first. $1 user. */
export const lastOrganizationOfUser = statement<{ readonly organizationId: string }>(
  'gateway.last-organization-of-user',
  `SELECT organization_id AS "organizationId" FROM membership WHERE user_id = $1
   ORDER BY last_used_at DESC NULLS LAST, id LIMIT 1`,
);

/** Notes that a session begins there. $1 user, $2 organization, $3 now. */
export const noteUseOfMembership = statement(
  'gateway.note-use-of-membership',
  'UPDATE membership SET last_used_at = $3 WHERE organization_id = $2 AND user_id = $1',
);

/**
 * Before anything of an organization's people is changed: such changes come one after the other, and what each reads of
 * owners and seats still holds when it commits. Requests are not held up: they read. $1 organization.
 */
export const lockOrganizationPeople = statement<{ readonly seats: number }>(
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

/** The role of a person; nothing for those who do not belong there. $1 organization, $2 user. */
export const findRole = statement<{ readonly role: Role }>(
  'gateway.find-role',
  'SELECT role FROM membership WHERE organization_id = $1 AND user_id = $2',
);

/**
 * $1 id, $2 organization, $3 user, $4 role. Makes and returns nothing for a person who is a member. It is confirmed where
 * the person's account is.
 */
export const insertMembership = statement<{ readonly id: string }>(
  'gateway.insert-membership',
  `INSERT INTO membership (id, organization_id, user_id, role, confirmed_at)
   SELECT $1, $2, u.id, $4, CASE WHEN u.confirmed_at IS NOT NULL THEN now() END FROM user_account u WHERE u.id = $3
   ON CONFLICT (organization_id, user_id) DO NOTHING RETURNING id`,
);

/** Memberships that nothing confirms, by organization. $1 user. */
export const unconfirmedMemberships = statement<{ readonly organizationId: string }>(
  'gateway.unconfirmed-memberships',
  `SELECT organization_id AS "organizationId" FROM membership WHERE user_id = $1 AND confirmed_at IS NULL
   ORDER BY organization_id`,
);

/** Ends them, but where the organization would be left without an owner. $1 user. */
export const deleteUnconfirmedMemberships = statement<MemberRow & { readonly organizationId: string }>(
  'gateway.delete-unconfirmed-memberships',
  `WITH ended AS (
     DELETE FROM membership m WHERE user_id = $1 AND confirmed_at IS NULL AND (role <> 'OWNER' OR EXISTS (
       SELECT FROM membership o WHERE o.organization_id = m.organization_id AND o.role = 'OWNER' AND o.id <> m.id))
     RETURNING *
   ) SELECT m.id, m.organization_id AS "organizationId", u.id AS "userId", u.email, u.name AS "userName", m.role,
       m.created_at AS "createdAt"
     FROM ended m JOIN user_account u ON u.id = m.user_id ORDER BY m.organization_id`,
);

/** $1 user. */
export const confirmMemberships = statement(
  'gateway.confirm-memberships',
  'UPDATE membership SET confirmed_at = now() WHERE user_id = $1 AND confirmed_at IS NULL',
);

/** $1 id, $2 role. */
export const changeMemberRole = statement(
  'gateway.change-member-role',
  'UPDATE membership SET role = $2 WHERE id = $1',
);

/** $1 id. */
export const deleteMembership = statement('gateway.delete-membership', 'DELETE FROM membership WHERE id = $1');

/** A member in the form of the audit log. */
export function auditedMember({ id, userId, email, role }: MemberRow): AuditedState {
  return { id, userId, email, role };
}
