import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Webhooks of which there are attempts alone, because they were deleted before `deleted_webhook` was there: an erasure looks at the
 * attempts of what these two tables name. A walk from webhook to webhook along the primary key of attempts. Lock: none that stops
 * rows from being stored. Reversal: leaves them, they are what they say.
 */
export class FormerlyDeleted1767950000000 implements MigrationInterface {
  readonly name = 'FormerlyDeleted1767950000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`INSERT INTO deleted_webhook (organization_id, id)
      WITH RECURSIVE walk AS (
        (SELECT webhook_id, organization_id FROM attempt ORDER BY webhook_id, id LIMIT 1)
        UNION ALL
        SELECT next.webhook_id, next.organization_id FROM walk CROSS JOIN LATERAL (
          SELECT a.webhook_id, a.organization_id FROM attempt a WHERE a.webhook_id > walk.webhook_id
          ORDER BY a.webhook_id, a.id LIMIT 1) AS next)
      SELECT organization_id, webhook_id FROM walk
      WHERE NOT EXISTS (SELECT FROM webhook w WHERE w.organization_id = walk.organization_id AND w.id = walk.webhook_id)
      ON CONFLICT DO NOTHING`);
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}
