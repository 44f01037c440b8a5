import type { MigrationInterface, QueryRunner } from 'typeorm';
import { retryOrderIndexes, retryOrderIndexesReversal } from './retry-order.sql.js';

/**
 * Indexes of what is still to be sent that fit one statement each. Lock: SHARE on `dispatch`, which holds what is open and no more, for
 * a moment. Reversal: the former two. A replica of the release before claims more slowly until it has ended.
 */
export class RetryOrder1767000002000 implements MigrationInterface {
  readonly name = 'RetryOrder1767000002000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(retryOrderIndexes);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(retryOrderIndexesReversal);
  }
}
