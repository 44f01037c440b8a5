import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When a lane was opened anew, so that failures of what was under way by then are known. Lock: of `lane`, for a moment, to add a column
 * without a default. Reversal: drops it.
 */
export class OpenedLane1767650000000 implements MigrationInterface {
  readonly name = 'OpenedLane1767650000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lane ADD COLUMN opened_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE lane DROP COLUMN opened_at');
  }
}
