import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which held opt-outs are of one erased contact, under its several aliases. What is held from before belongs to none. Lock: ACCESS EXCLUSIVE
 * on `held_opt_out` for a moment, and SHARE while the index, in which no row is yet, is made by one pass. Reversal: drops the column; what was
 * taken by one alias and removed comes back by another.
 */
export class HeldOptOutGroups1767930001003 implements MigrationInterface {
  readonly name = 'HeldOptOutGroups1767930001003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE held_opt_out ADD COLUMN group_id uuid');
    await runner.query(
      'CREATE INDEX held_opt_out_group ON held_opt_out (organization_id, group_id) WHERE group_id IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE held_opt_out DROP COLUMN group_id');
  }
}
