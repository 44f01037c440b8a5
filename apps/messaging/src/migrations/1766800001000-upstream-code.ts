import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The upstream's code of an answer that is kept under a key. Lock: ACCESS EXCLUSIVE for a moment. Reversal: drops it. */
export class UpstreamCode1766800001000 implements MigrationInterface {
  readonly name = 'UpstreamCode1766800001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_key ADD COLUMN upstream_code text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_key DROP COLUMN upstream_code');
  }
}
