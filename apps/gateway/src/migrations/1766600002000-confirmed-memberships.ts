import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether the platform ever learned that an account and a membership are those of the person of the address: an account
 * that an invitation made is not, until an operator gave it to its owner. And where a person was last.
 *
 * What exists counts as confirmed, and what earlier versions make meanwhile. Lock: ACCESS EXCLUSIVE on both tables for a
 * moment, no row is written. Reversal: drops the columns.
 */
export class ConfirmedMemberships1766600002000 implements MigrationInterface {
  readonly name = 'ConfirmedMemberships1766600002000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE user_account ADD COLUMN confirmed_at timestamptz DEFAULT now()');
    await runner.query(
      'ALTER TABLE membership ADD COLUMN confirmed_at timestamptz DEFAULT now(), ADD COLUMN last_used_at timestamptz',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE membership DROP COLUMN confirmed_at, DROP COLUMN last_used_at');
    await runner.query('ALTER TABLE user_account DROP COLUMN confirmed_at');
  }
}
