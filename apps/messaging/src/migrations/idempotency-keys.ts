import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Idempotency keys of sends, with the answers that were given under them.
 *
 * Keys are stored as their SHA-256: they are texts of callers, which may say anything of anybody, and the server writes what
 * violates a unique index into its log. Rows are written twice, so pages are left half empty for the second time.
 *
 * Lock: none that matters, all is new. Reversal: drops it; keys are forgotten.
 */
export class IdempotencyKeys1764000004000 implements MigrationInterface {
  name = 'IdempotencyKeys1764000004000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotency_key (
        organization_id text COLLATE "C" NOT NULL,
        key_sha256 bytea NOT NULL CHECK (length(key_sha256) = 32),
        body_sha256 bytea NOT NULL CHECK (length(body_sha256) = 32),
        message_id text COLLATE "C" NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        -- What every request with the key is answered, once it is known; never changed.
        status smallint,
        answer text,
        PRIMARY KEY (organization_id, key_sha256),
        CHECK ((status IS NULL) = (answer IS NULL))
      ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
      -- Of all organizations: what is past its day is forgotten in the order of its age.
      CREATE INDEX idempotency_key_age ON idempotency_key (created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_key');
  }
}
