import type { MigrationInterface, QueryRunner } from 'typeorm';
import { waitingStatusTable, waitingStatusTableReversal } from './waiting-status/waiting-status.sql.js';

/**
 * Keeps statuses whose message is not known yet. Lock: none, the table is new. Reversal: what waits in it at that moment is
 * given up.
 */
export class WaitingStatuses1767600000000 implements MigrationInterface {
  readonly name = 'WaitingStatuses1767600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(waitingStatusTable);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(waitingStatusTableReversal);
  }
}
