import { statement } from '@switchboard/postgres';
import type { Role } from '../people.contract.js';

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

/** $1 hash of the secret, $2 now. */
export const findInviteOfSecret = statement<InviteRow & { readonly organizationId: string }>(
  'gateway.find-invite-of-secret',
  `SELECT ${INVITE}, organization_id AS "organizationId" FROM invite WHERE secret_hash = $1 AND expires_at > $2`,
);

/** $1 id, $2 organization, $3 address, $4 role, $5 hash of the secret, $6 now, $7 when it expires. */
export const insertInvite = statement(
  'gateway.insert-invite',
  `INSERT INTO invite (id, organization_id, email, role, secret_hash, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

/** $1 id. @returns nothing when it was gone */
export const deleteInvite = statement<{ readonly id: string }>(
  'gateway.delete-invite',
  'DELETE FROM invite WHERE id = $1 RETURNING id',
);
