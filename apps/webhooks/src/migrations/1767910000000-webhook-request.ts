import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The `Idempotency-Key` and the body of the request that made a webhook, each as SHA-256: a repetition makes no second one. Null without a
 * key.
 *
 * Lock: ACCESS EXCLUSIVE on `webhook`; webhooks are not read or changed while the index is made; it has no entries. No row is written. Reversal: drops index and columns.
 * A replica of the release before ignores the key that a newer gateway hands on: a repetition registers a second webhook. Where services
 * are replaced one by one, this one comes before the gateway.
 */
export class WebhookRequest1767910000000 implements MigrationInterface {
  readonly name = 'WebhookRequest1767910000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE webhook ADD COLUMN idempotency_key bytea CHECK (length(idempotency_key) = 32),
         ADD COLUMN idempotency_body bytea CHECK (length(idempotency_body) = 32)`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX webhook_of_request ON webhook (organization_id, idempotency_key)
       WHERE idempotency_key IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook DROP COLUMN idempotency_key, DROP COLUMN idempotency_body');
  }
}
