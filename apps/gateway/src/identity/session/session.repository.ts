import { statement } from '@switchboard/postgres';
import type { Role } from '../signed-in.contract.js';

/** A session with all that a request needs to know. */
export interface SessionRow {
  readonly sessionId: string;
  readonly userId: string;
  readonly email: string;
  readonly userName: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly role: Role;
  readonly hasSecondFactor: boolean;
  readonly requiresSecondFactor: boolean;
}

/** Of a person `u` in an organization `o`. */
const SECOND_FACTOR = `o.requires_second_factor AS "requiresSecondFactor",
     EXISTS (SELECT FROM second_factor f WHERE f.user_id = u.id AND f.enabled_at IS NOT NULL) AS "hasSecondFactor"`;

/**
 * The session of a secret, and the note that it was used.
 *
 * $1 hash, $2 now, $3 and $4 the oldest last use and sign-in that still hold, $5 last uses before it are moved on, $6 the
 * address that it is used from. By the
 * unique index on `secret_hash`, then by primary and unique keys. A session without its membership has ended.
 */
export const findSession = statement<SessionRow>(
  'gateway.find-session',
  `WITH touched AS (
     UPDATE session SET last_seen_at = $2, address = $6
     WHERE secret_hash = $1 AND last_seen_at < $5 AND last_seen_at > $3 AND signed_in_at > $4
   )
   SELECT s.id AS "sessionId", u.id AS "userId", u.email, u.name AS "userName",
     o.id AS "organizationId", o.name AS "organizationName", m.role, ${SECOND_FACTOR}
   FROM session s
   JOIN user_account u ON u.id = s.user_id
   JOIN membership m ON m.organization_id = s.organization_id AND m.user_id = s.user_id
   JOIN organization o ON o.id = s.organization_id
   WHERE s.secret_hash = $1 AND s.last_seen_at > $3 AND s.signed_in_at > $4`,
);

/**
 * Open ones that are not kept out for want of a second factor. $1 ids, $2 and $3 the oldest last use and sign-in that still hold.
 * By primary and unique keys; the factor is joined: for many sessions a sub-query would read all factors.
 */
export const findOpenSessions = statement<{ readonly id: string }>(
  'gateway.find-open-sessions',
  `SELECT s.id FROM session s
   JOIN membership m ON m.organization_id = s.organization_id AND m.user_id = s.user_id
   JOIN organization o ON o.id = s.organization_id
   LEFT JOIN second_factor f ON f.user_id = s.user_id
   WHERE s.id = ANY ($1::text[]) AND s.last_seen_at > $2 AND s.signed_in_at > $3
     AND (NOT o.requires_second_factor OR f.enabled_at IS NOT NULL)`,
);

/**
 * Holds a person and a membership until the transaction ends, so that a transaction that ends their sessions either sees the
 * new one or comes first.
 *
 * $1 user, $2 organization, $3 the hash of the password that was checked, or null. Empty when one of them is gone or the
 * password has changed. Of the membership the stronger lock: its last use is written next, and two that shared it would wait
 * for each other.
 */
export const holdMembership = statement<Omit<SessionRow, 'sessionId'>>(
  'gateway.hold-membership',
  `SELECT u.id AS "userId", u.email, u.name AS "userName", o.id AS "organizationId", o.name AS "organizationName", m.role,
     ${SECOND_FACTOR}
   FROM user_account u
   JOIN membership m ON m.user_id = u.id AND m.organization_id = $2
   JOIN organization o ON o.id = m.organization_id
   WHERE u.id = $1 AND ($3::text IS NULL OR u.password_hash = $3)
   FOR SHARE OF u FOR NO KEY UPDATE OF m`,
);

/**
 * The session of an act, with the person's role; locked until the transaction ends, so that it cannot be ended. The weakest
 * lock that does: writes of its last use go on. $1 id, $2 organization. Empty when it has ended.
 */
export const holdSession = statement<{ readonly role: Role }>(
  'gateway.hold-session',
  `SELECT m.role FROM session s JOIN membership m ON m.organization_id = s.organization_id AND m.user_id = s.user_id
   WHERE s.id = $1 AND s.organization_id = $2 FOR KEY SHARE OF s`,
);

/**
 * Begins a session, and ends the oldest ones of the person beyond a number.
 *
 * $1 id, $2 hash, $3 user, $4 organization, $5 when the password was given, $6 now, $7 address, $8 user agent, $9 how many others
 * stay. The oldest are found by the index on the person, and then locked, without those that stay. One that another transaction
 * holds is left to the next sign-in: nothing waits here with the person's row held.
 */
export const insertSession = statement(
  'gateway.insert-session',
  `WITH surplus AS (
     SELECT id FROM session
     WHERE id = ANY (ARRAY(SELECT id FROM session WHERE user_id = $3 ORDER BY id DESC OFFSET $9::integer))
     FOR UPDATE SKIP LOCKED
   ), ended AS (
     DELETE FROM session s USING surplus WHERE s.id = surplus.id
   )
   INSERT INTO session (id, secret_hash, user_id, organization_id, signed_in_at, last_seen_at, address, user_agent)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

/** $1 id. @returns when its password was given; nothing when it had ended */
export const endSession = statement<{ readonly signedInAt: Date }>(
  'gateway.end-session',
  `DELETE FROM session WHERE id = $1 RETURNING signed_in_at AS "signedInAt"`,
);

/** Whose session ended, and where. */
export interface EndedSessionRow {
  readonly userId: string;
  readonly email: string;
  readonly organizationId: string;
}

/** $1 hash, $2 and $3 as $3 and $4 of `findSession`. @returns whose it was; nothing when there is none, and for one that had ended by time */
export const endSessionOfSecret = statement<EndedSessionRow>(
  'gateway.end-session-of-secret',
  `WITH ended AS (
     DELETE FROM session WHERE secret_hash = $1 RETURNING user_id, organization_id, last_seen_at, signed_in_at
   )
   SELECT u.id AS "userId", u.email, e.organization_id AS "organizationId"
   FROM ended e JOIN user_account u ON u.id = e.user_id WHERE e.last_seen_at > $2 AND e.signed_in_at > $3`,
);

/**
 * $1 user, $2 an organization, or null for all, $3 a session to be left, or null. The person must be locked before: a session
 * that is being begun is waited for (see `holdMembership`), and no two of these meet. Returns those that ended.
 */
export const endSessionsOfUser = statement<{ readonly id: string }>(
  'gateway.end-sessions-of-user',
  `DELETE FROM session WHERE id = ANY (ARRAY(
     SELECT id FROM session
     WHERE user_id = $1 AND ($2::text IS NULL OR organization_id = $2) AND id IS DISTINCT FROM $3::text
     ORDER BY id FOR UPDATE)) RETURNING id`,
);

/** A session as its person sees it. */
export interface OwnSessionRow {
  readonly id: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly signedInAt: Date;
  readonly lastSeenAt: Date;
}

/** Newest first, by the index on the person. $1 user, $2 cursor or null, $3 how many, $4 and $5 as $3 and $4 of `findSession`. */
export const listSessionsOfUser = statement<OwnSessionRow>(
  'gateway.list-sessions-of-user',
  `SELECT s.id, o.id AS "organizationId", o.name AS "organizationName", s.address, s.user_agent AS "userAgent",
     s.signed_in_at AS "signedInAt", s.last_seen_at AS "lastSeenAt"
   FROM session s JOIN organization o ON o.id = s.organization_id
   WHERE s.user_id = $1 AND ($2::text IS NULL OR s.id < $2) AND s.last_seen_at > $4 AND s.signed_in_at > $5
   ORDER BY s.id DESC LIMIT $3`,
);

/** $1 user, $2 id. @returns what it was; nothing when the person has none with this id */
export const endSessionOfUser = statement<Pick<OwnSessionRow, 'organizationId' | 'address' | 'userAgent'>>(
  'gateway.end-session-of-user',
  `DELETE FROM session WHERE id = $2 AND user_id = $1
   RETURNING organization_id AS "organizationId", address, user_agent AS "userAgent"`,
);
