import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The contact by whose opt-outs one that was merged into it is judged. Lock: ACCESS EXCLUSIVE on `contact` for a moment. Reversal: drops the
 * column; what is queued for merged contacts is judged by their own opt-outs again.
 */
export class MergedContacts1767530001017 implements MigrationInterface {
  readonly name = 'MergedContacts1767530001017';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contact ADD COLUMN merged_into text COLLATE "C"');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contact DROP COLUMN merged_into');
  }
}
