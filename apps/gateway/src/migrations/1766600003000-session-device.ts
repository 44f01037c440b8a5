import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Where a session is used, for the list that its person sees. Null in those that are open by now.
 *
 * Lock: ACCESS EXCLUSIVE on `session` for a moment, no row is written. Reversal: drops the columns.
 */
export class SessionDevice1766600003000 implements MigrationInterface {
  readonly name = 'SessionDevice1766600003000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE session ADD COLUMN address text, ADD COLUMN user_agent text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE session DROP COLUMN address, DROP COLUMN user_agent');
  }
}
