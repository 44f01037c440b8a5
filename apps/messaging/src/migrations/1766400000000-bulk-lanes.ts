import type { MigrationInterface, QueryRunner } from 'typeorm';
import { laneTables, laneTablesReversal } from './bulk/lanes.sql.js';

/** Lanes of bulk sends. Lock: none that matters, everything is new. Reversal: drops what it made. */
export class BulkLanes1766400000000 implements MigrationInterface {
  readonly name = 'BulkLanes1766400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(laneTables);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(laneTablesReversal);
  }
}
