/**
 * Idempotency keys of sends, with the responses that were given under them.
 *
 * Keys are stored as their SHA-256: they are texts of callers, which may say anything of anybody, and the server writes what
 * violates a unique index into its log. Rows are written twice, so pages are left half empty for the second time.
 */
export const idempotencyKeyTable = `
  CREATE TABLE idempotency_key (
    organization_id text COLLATE "C" NOT NULL,
    key_sha256 bytea NOT NULL CHECK (length(key_sha256) = 32),
    body_sha256 bytea NOT NULL CHECK (length(body_sha256) = 32),
    message_id text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- What every request with the key is answered, once it is known; never changed.
    status smallint,
    response text,
    PRIMARY KEY (organization_id, key_sha256),
    CHECK ((status IS NULL) = (response IS NULL))
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
  -- Of all organizations: keys past their day are pruned in the order of their age.
  CREATE INDEX idempotency_key_age ON idempotency_key (created_at);
`;

/** Takes `idempotencyKeyTable` back. */
export const idempotencyKeyTableReversal = 'DROP TABLE idempotency_key';
