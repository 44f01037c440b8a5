import type { MigrationInterface, QueryRunner } from 'typeorm';
import { keepPartitionsQuickly, keepPartitionsQuicklyReversal } from './retention/retention.sql.js';

/**
 * Months of messages are made in the same time, however many are there. Lock: none on a table. Reversal: the former function, which
 * does not end within a statement's time once a year of months is there.
 */
export class MonthsKeptQuickly1767300000000 implements MigrationInterface {
  readonly name = 'MonthsKeptQuickly1767300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(keepPartitionsQuickly);
    await runner.query('SELECT keep_message_partitions()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(keepPartitionsQuicklyReversal);
  }
}
