import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The `Idempotency-Key` and the body of the request that made an API key, each as SHA-256: a repetition makes no second one. Null without a
 * key.
 *
 * Lock: ACCESS EXCLUSIVE on `api_key`; keys are not made, used or revoked while the index is made, over no entries. No row is written. Reversal: drops index and columns.
 * A replica of the release before ignores the header: a repetition that it takes makes a second key.
 */
export class ApiKeyRequest1767910000000 implements MigrationInterface {
  readonly name = 'ApiKeyRequest1767910000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE api_key ADD COLUMN idempotency_key bytea CHECK (length(idempotency_key) = 32),
         ADD COLUMN idempotency_body bytea CHECK (length(idempotency_body) = 32)`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX api_key_of_request ON api_key (organization_id, idempotency_key)
       WHERE idempotency_key IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_key DROP COLUMN idempotency_key, DROP COLUMN idempotency_body');
  }
}
