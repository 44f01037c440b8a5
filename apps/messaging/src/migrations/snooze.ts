import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When a SNOOZED conversation returns to OPEN, and how those that are due are found.
 *
 * No CHECK ties it to the status: replicas of the release before this one reopen conversations without knowing it.
 *
 * Lock: ACCESS EXCLUSIVE on conversation for a moment (a column without a default), then SHARE while its rows are looked
 * through once: no row is in the index yet. Reversal: drops both.
 */
export class Snooze1764400000000 implements MigrationInterface {
  name = 'Snooze1764400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE conversation ADD COLUMN snoozed_until timestamptz;
      CREATE INDEX conversation_snoozed ON conversation (snoozed_until)
        WHERE status = 'SNOOZED' AND snoozed_until IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX conversation_snoozed; ALTER TABLE conversation DROP COLUMN snoozed_until');
  }
}
