import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets a send see that an earlier message of its conversation is being sent again. Only such attempts are in the index, whose condition
 * no other statement states. Lock: ACCESS EXCLUSIVE on `dispatch`, which holds what is open and no more, for a moment. Reversal: whole.
 * What a replica of the release before sends again is not waited for until it has ended.
 */
export class RepeatedAttempts1767820000000 implements MigrationInterface {
  readonly name = 'RepeatedAttempts1767820000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE dispatch ADD COLUMN is_repeat boolean NOT NULL DEFAULT false;
      CREATE INDEX dispatch_repeat ON dispatch ((organization_id || ' ' || channel_id), contact_id, message_id)
        WHERE CASE WHEN is_repeat THEN state END = 'DISPATCHING'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dispatch DROP COLUMN is_repeat');
  }
}
