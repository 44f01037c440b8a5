import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each channel's own words to opt out with, and how the channels of an account are found: an account's preference may
 * name no line.
 *
 * Lock: ACCESS EXCLUSIVE on channel for a moment (a constant default rewrites nothing), then SHARE while its few rows are
 * indexed. Reversal: drops both, the words with them.
 */
export class OptOutKeywords1764800005000 implements MigrationInterface {
  name = 'OptOutKeywords1764800005000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE channel ADD COLUMN opt_out_keywords text[] NOT NULL DEFAULT '{}';
      CREATE INDEX channel_business_account ON channel (business_account_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX channel_business_account; ALTER TABLE channel DROP COLUMN opt_out_keywords');
  }
}
