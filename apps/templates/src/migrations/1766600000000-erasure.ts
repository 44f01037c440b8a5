import { erasureTable, erasureTableReversal } from '@switchboard/platform';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Contacts whose recipients are to be overwritten. Lock: none, the table is new. Reversal: drops it. */
export class Erasure1766600000000 implements MigrationInterface {
  readonly name = 'Erasure1766600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(erasureTable);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(erasureTableReversal);
  }
}
