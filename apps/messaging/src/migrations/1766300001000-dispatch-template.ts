import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a template is filled with while the outcome of its message is open: it goes with the row. Lock: ACCESS EXCLUSIVE on
 * `dispatch` for a moment; no row is rewritten. Reversal: drops it.
 */
export class DispatchTemplate1766300001000 implements MigrationInterface {
  readonly name = 'DispatchTemplate1766300001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dispatch ADD COLUMN template_parameters jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dispatch DROP COLUMN template_parameters');
  }
}
