import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When the secret of an API key was made, the first one or that of a repetition. Null: when the key was.
 *
 * Lock: ACCESS EXCLUSIVE on `api_key` for a moment, no row is written. Reversal: drops the column. A replica of the release before sets it
 * not: what it renews may be renewed again by a request that is older.
 */
export class ApiKeyRenewal1767920000000 implements MigrationInterface {
  readonly name = 'ApiKeyRenewal1767920000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_key ADD COLUMN renewed_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_key DROP COLUMN renewed_at');
  }
}
