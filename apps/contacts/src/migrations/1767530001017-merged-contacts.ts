import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The contact that goes on for one that was merged into it. Lock: ACCESS EXCLUSIVE on `contact` for a moment, and SHARE while the index, in
 * which no row is yet, is made by one pass. Reversal: drops the column; merged contacts stand for themselves again.
 */
export class MergedContacts1767530001017 implements MigrationInterface {
  readonly name = 'MergedContacts1767530001017';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contact ADD COLUMN merged_into text COLLATE "C"');
    await runner.query(
      'CREATE INDEX contact_merged ON contact (organization_id, merged_into, id) WHERE merged_into IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE contact DROP COLUMN merged_into');
  }
}
