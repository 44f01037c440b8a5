import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who made a key, by name: keys outlive the membership of their maker. Lock: ACCESS EXCLUSIVE on api_key, for a moment.
 * Reversal: drops the names.
 */
export class ApiKeyCreator1764000002001 implements MigrationInterface {
  name = 'ApiKeyCreator1764000002001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_key ADD COLUMN created_by_email text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_key DROP COLUMN created_by_email');
  }
}
