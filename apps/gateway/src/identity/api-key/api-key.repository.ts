import type { ApiKeyView } from '@switchboard/contracts/gateway/http';
import { statement } from '@switchboard/postgres';

/** A key as it is read for the application: all but its hash. */
export interface ApiKeyRow {
  readonly id: string;
  readonly label: string;
  readonly prefix: string;
  readonly scopes: readonly string[] | null;
  readonly createdBy: string | null;
  readonly createdByEmail: string | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly lastUsedAddress: string | null;
  readonly revokedAt: Date | null;
}

const SHOWN = `id, label, prefix, scopes, created_by AS "createdBy", created_by_email AS "createdByEmail",
  created_at AS "createdAt", last_used_at AS "lastUsedAt", host(last_used_address) AS "lastUsedAddress",
  revoked_at AS "revokedAt"`;

/**
 * $5 the SHA-256 of the secret as 64 hex digits; $10 and $11 those of the request's `Idempotency-Key` and body, or null. `renewed_at` is
 * when the secret was made, by the database's clock as when it is renewed.
 *
 * Returns no row when a request with this key has made one: of two at the same time the second waits for the first.
 */
export const insertApiKey = statement<ApiKeyRow>(
  'gateway.insert-api-key',
  `INSERT INTO api_key
     (id, organization_id, label, prefix, secret_hash, scopes, created_by, created_by_email, created_at, idempotency_key,
      idempotency_body, renewed_at)
   VALUES ($1, $2, $3, $4, decode($5, 'hex'), $6, $7, $8, $9, decode($10, 'hex'), decode($11, 'hex'), clock_timestamp())
   ON CONFLICT (organization_id, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING RETURNING ${SHOWN}`,
);

/** What a request with an `Idempotency-Key` made, and whether it suits the one at hand. */
export interface ApiKeyOfRequest {
  readonly id: string;
  readonly isSameBody: boolean;
  /** Its secret was made after the request at hand began. */
  readonly isYounger: boolean;
}

/**
 * Locks the key. $2 and $3 the SHA-256 of the request's key and of the body at hand, $4 the milliseconds since the request at hand began:
 * gateways whose clocks differ make the keys. Not `clock_timestamp()`, which goes on while the lock is waited for.
 */
export const lockApiKeyOfRequest = statement<ApiKeyOfRequest>(
  'gateway.lock-api-key-of-request',
  `SELECT id, idempotency_body = decode($3, 'hex') AS "isSameBody",
     coalesce(renewed_at, created_at) > statement_timestamp() - $4::float8 * interval '1 ms' AS "isYounger"
   FROM api_key WHERE organization_id = $1 AND idempotency_key = decode($2, 'hex') FOR NO KEY UPDATE`,
);

/**
 * Gives a key another secret: one that is a day old at most and that nothing has used. $3 the shown prefix, $4 the SHA-256 of the secret.
 * Returns no row for any other.
 */
export const renewApiKeySecret = statement<ApiKeyRow>(
  'gateway.renew-api-key-secret',
  `UPDATE api_key SET prefix = $3, secret_hash = decode($4, 'hex'), renewed_at = clock_timestamp()
   WHERE id = $2 AND organization_id = $1 AND revoked_at IS NULL AND last_used_at IS NULL
     AND created_at > clock_timestamp() - interval '24 hours' RETURNING ${SHOWN}`,
);

/** How many keys of $1 are active; counts to $2 and no further, by the index of the organization's keys. */
export const countActiveApiKeys = statement<{ active: number }>(
  'gateway.count-active-api-keys',
  `SELECT count(*)::integer AS active FROM
     (SELECT FROM api_key WHERE organization_id = $1 AND revoked_at IS NULL LIMIT $2) AS counted`,
);

/** Newest first: the index `api_key_of_organization`, read backwards from $2. */
export const listApiKeyRows = statement<ApiKeyRow>(
  'gateway.list-api-keys',
  `SELECT ${SHOWN} FROM api_key WHERE organization_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
);

/** Revokes a key of an organization; returns no row when there is no such active key. */
export const revokeActiveApiKey = statement<ApiKeyRow>(
  'gateway.revoke-api-key',
  `UPDATE api_key SET revoked_at = clock_timestamp()
   WHERE id = $2 AND organization_id = $1 AND revoked_at IS NULL RETURNING ${SHOWN}`,
);

/** One key of an organization. */
export const findApiKey = statement<ApiKeyRow>(
  'gateway.find-api-key',
  `SELECT ${SHOWN} FROM api_key WHERE id = $2 AND organization_id = $1`,
);

/** A row as the application shows it. */
export function apiKeyViewOf(row: ApiKeyRow): ApiKeyView {
  const { id, label, prefix, scopes, createdBy, createdByEmail, createdAt, lastUsedAt, lastUsedAddress, revokedAt } =
    row;
  return {
    id,
    label,
    prefix,
    scopes,
    status: revokedAt === null ? 'ACTIVE' : 'REVOKED',
    createdAt: createdAt.toISOString(),
    createdBy: createdBy === null || createdByEmail === null ? null : { id: createdBy, email: createdByEmail },
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    lastUsedAddress,
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}

/** What the audit log keeps of a key: nothing that opens anything. */
export function auditedApiKey({ id, label, prefix, scopes, revokedAt }: ApiKeyRow): Readonly<Record<string, unknown>> {
  return { id, label, prefix, scopes, revokedAt: revokedAt?.toISOString() ?? null };
}
