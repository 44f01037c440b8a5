import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Test sends that are under way, so that one whose process ends is recorded as interrupted. Lock: none, the table is new. Reversal: drops
 * it; what is under way then is not recorded when its process ends. A replica of the release before makes no such rows.
 */
export class TestSends1767940000000 implements MigrationInterface {
  readonly name = 'TestSends1767940000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE test_send (
        webhook_id text COLLATE "C" NOT NULL,
        -- Of the delivery, which is of one attempt.
        id text COLLATE "C" NOT NULL,
        organization_id text COLLATE "C" NOT NULL,
        attempt_id text COLLATE "C" NOT NULL,
        -- By the clock of the process.
        began_at timestamptz NOT NULL,
        stored_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (webhook_id, id)
      );
      CREATE INDEX test_send_age ON test_send (stored_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE test_send');
  }
}
