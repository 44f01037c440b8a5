import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Webhooks that were deleted, by their ids alone: what was delivered to them stays in the timelines of messages. Those that were
 * deleted before are not in it. Lock: none, the table is new. Reversal: drops it.
 */
export class DeletedWebhook1767520000000 implements MigrationInterface {
  readonly name = 'DeletedWebhook1767520000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE deleted_webhook (
      organization_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      deleted_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (organization_id, id)
    )`);
    await runner.query('CREATE INDEX deleted_webhook_deleted ON deleted_webhook (deleted_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE deleted_webhook');
  }
}
