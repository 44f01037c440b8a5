import { incarnationTable, incarnationTableReversal } from '@switchboard/outbox';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which state of the database the broker was shown last. Lock: none, the table is new. Reversal: drops it. */
export class Incarnation1766390000000 implements MigrationInterface {
  readonly name = 'Incarnation1766390000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(incarnationTable);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(incarnationTableReversal);
  }
}
