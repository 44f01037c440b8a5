import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `delivery_under_way` in the order of leases, so that marks can be read above a floor: of one webhook an old snapshot keeps the entries
 * of all that were made since. Lock: ACCESS EXCLUSIVE on `delivery` while it is read once. Reversal: the index as it was.
 */
export class MarkedByLease1767640001000 implements MigrationInterface {
  readonly name = 'MarkedByLease1767640001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX delivery_under_way;
      CREATE INDEX delivery_under_way ON delivery (webhook_id, lease_until) WHERE attempt_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX delivery_under_way;
      CREATE INDEX delivery_under_way ON delivery (webhook_id) WHERE attempt_id IS NOT NULL`);
  }
}
