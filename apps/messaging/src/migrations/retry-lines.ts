import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The walk from line to line of what is to be sent again.
 *
 * Lock: SHARE on `dispatch` while its open rows are read; writes wait for that, some milliseconds. Reversal: drop the index.
 */
export class RetryLines1764500000000 implements MigrationInterface {
  name = 'RetryLines1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX dispatch_line ON dispatch (organization_id, channel_id, due_at) WHERE state = 'RETRY'
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX dispatch_line');
  }
}
