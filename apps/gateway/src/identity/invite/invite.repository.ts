import { statement } from '@switchboard/postgres';
import type { Role } from '../signed-in.contract.js';

/** An invitation as it is shown. */
export interface InviteRow {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const INVITE = `id, email, role, created_at AS "createdAt", expires_at AS "expiresAt"`;

/** Newest first. $1 organization, $2 cursor or null, $3 how many, $4 now. */
export const listInvites = statement<InviteRow>(
  'gateway.list-invites',
  `SELECT ${INVITE} FROM invite
   WHERE organization_id = $1 AND expires_at > $4 AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
);

/** $1 organization, $2 id, $3 now. */
export const findInvite = statement<InviteRow>(
  'gateway.find-invite',
  `SELECT ${INVITE} FROM invite WHERE id = $2 AND organization_id = $1 AND expires_at > $3`,
);

/** By the address; one that has expired as well. $1 organization, $2 address in small letters. */
export const findInviteOfEmail = statement<InviteRow>(
  'gateway.find-invite-of-email',
  `SELECT ${INVITE} FROM invite WHERE organization_id = $1 AND email = $2`,
);

/** An invitation that its secret names. */
export interface FoundInvite extends InviteRow {
  readonly organizationId: string;
  readonly organizationName: string;
  /** The person who made it; null for one of an earlier version, which cannot be accepted. */
  readonly invitedBy: string | null;
}

/** $1 hash of the secret, $2 now. */
export const findInviteOfSecret = statement<FoundInvite>(
  'gateway.find-invite-of-secret',
  `SELECT i.id, i.email, i.role, i.created_at AS "createdAt", i.expires_at AS "expiresAt",
     i.organization_id AS "organizationId", o.name AS "organizationName", i.invited_by AS "invitedBy"
   FROM invite i JOIN organization o ON o.id = i.organization_id WHERE i.secret_hash = $1 AND i.expires_at > $2`,
);

/** $1 id, $2 organization, $3 address, $4 role, $5 hash of the secret, $6 now, $7 when it expires, $8 its maker. */
export const insertInvite = statement(
  'gateway.insert-invite',
  `INSERT INTO invite (id, organization_id, email, role, secret_hash, created_at, expires_at, invited_by)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

/** Those that a person made, in the order of their ids; few rows of one organization. $1 organization, $2 person, $3 roles. */
export const deleteInvitesOfMaker = statement<InviteRow>(
  'gateway.delete-invites-of-maker',
  `WITH ended AS (
     DELETE FROM invite WHERE organization_id = $1 AND invited_by = $2 AND role = ANY ($3::text[]) RETURNING *
   ) SELECT ${INVITE} FROM ended ORDER BY id`,
);

/** $1 id. @returns nothing when it was gone */
export const deleteInvite = statement<{ readonly id: string }>(
  'gateway.delete-invite',
  'DELETE FROM invite WHERE id = $1 RETURNING id',
);
