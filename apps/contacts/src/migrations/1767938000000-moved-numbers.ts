import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When the number changed by which a contact gave an alias up, so that what was said under it before is the contact's also when it comes later.
 * Lock: ACCESS EXCLUSIVE on `former_alias` for a moment, and SHARE while the index, in which no row is yet, is made by one pass. Reversal: drops
 * the column; what comes behind the note of a change is of the former number alone again.
 */
export class MovedNumbers1767938000000 implements MigrationInterface {
  readonly name = 'MovedNumbers1767938000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE former_alias ADD COLUMN moved_at timestamptz');
    await runner.query(
      'CREATE INDEX former_alias_moved ON former_alias (organization_id, alias) WHERE moved_at IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE former_alias DROP COLUMN moved_at');
  }
}
