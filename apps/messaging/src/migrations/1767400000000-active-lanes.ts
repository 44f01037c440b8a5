import type { MigrationInterface, QueryRunner } from 'typeorm';
import { activeLanes, activeLanesReversal } from './bulk/active-lanes.sql.js';

/**
 * Indexes by which claims find lanes that have not finished, and by which what is too old to be sent is found. Lock: ACCESS EXCLUSIVE on
 * `bulk_lane` and SHARE on `dispatch`, which holds what is open and no more, for a moment. Reversal: the former index. A replica of the
 * release before claims more slowly until it has ended.
 */
export class ActiveLanes1767400000000 implements MigrationInterface {
  readonly name = 'ActiveLanes1767400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(activeLanes);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(activeLanesReversal);
  }
}
