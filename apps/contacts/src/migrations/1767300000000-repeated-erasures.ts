import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When an erasure that some service has not confirmed was last announced, and its number among the events of the contact. Lock:
 * ACCESS EXCLUSIVE on `erased_number`, which holds what is not confirmed and no more, for a moment. Reversal: drops the columns;
 * nothing is announced again.
 */
export class RepeatedErasures1767300000000 implements MigrationInterface {
  readonly name = 'RepeatedErasures1767300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE erased_number ADD COLUMN announced_at timestamptz NOT NULL DEFAULT now(),
        -- Above every version that the contact ever had, also of what was erased before this column.
        ADD COLUMN sequence bigint NOT NULL DEFAULT ${Number.MAX_SAFE_INTEGER}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE erased_number DROP COLUMN announced_at, DROP COLUMN sequence');
  }
}
