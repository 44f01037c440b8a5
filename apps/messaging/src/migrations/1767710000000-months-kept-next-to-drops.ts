import type { MigrationInterface, QueryRunner } from 'typeorm';
import { keepPartitionsQuickly } from './retention/retention.sql.js';

/**
 * Months of messages are made while another replica drops old ones: a table that is gone at that moment needs no hints. Lock: none on a
 * table. Reversal: none, the former function failed then.
 */
export class MonthsKeptNextToDrops1767710000000 implements MigrationInterface {
  readonly name = 'MonthsKeptNextToDrops1767710000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(keepPartitionsQuickly);
  }

  async down(): Promise<void> {}
}
