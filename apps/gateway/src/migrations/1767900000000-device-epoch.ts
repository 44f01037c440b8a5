import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which browsers an account knows: those whose mark has its epoch, which a new password, an operator's reset and a second factor that
 * is enabled move on. Marks of earlier versions have none: each browser is a stranger's until its next sign-in.
 *
 * Lock: ACCESS EXCLUSIVE on the table for a moment, no row is written. Reversal: drops the column.
 */
export class DeviceEpoch1767900000000 implements MigrationInterface {
  readonly name = 'DeviceEpoch1767900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE user_account ADD COLUMN device_epoch integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE user_account DROP COLUMN device_epoch');
  }
}
