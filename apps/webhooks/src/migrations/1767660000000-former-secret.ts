import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds the former secrets whose time is over. Lock: webhooks are not registered or changed while the index is made; there are 20 of an
 * organization at most. Reversal: drops it.
 */
export class FormerSecret1767660000000 implements MigrationInterface {
  readonly name = 'FormerSecret1767660000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX webhook_former_secret ON webhook (previous_secret_until) WHERE previous_secret_until IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX webhook_former_secret');
  }
}
