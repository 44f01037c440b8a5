import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  upstreamMessageMonth,
  upstreamMessageMonthIndex,
  upstreamMessageMonthReversal,
} from './retention/months.sql.js';

/**
 * The month of an upstream id, by which `upstream_message` is partitioned next. Lock: ACCESS EXCLUSIVE for a moment, no row is
 * written; the index is made concurrently, so it is no transaction, and begins anew where it was interrupted. Reversal: drops both.
 */
export class UpstreamMessageMonth1767000000000 implements MigrationInterface {
  readonly name = 'UpstreamMessageMonth1767000000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(upstreamMessageMonth);
    // It waits for transactions that are older, however long they take; it stops no other meanwhile.
    await runner.query('SET lock_timeout = 0');
    try {
      for (const step of upstreamMessageMonthIndex) await runner.query(step);
    } finally {
      await runner.query('RESET lock_timeout');
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(upstreamMessageMonthReversal);
  }
}
