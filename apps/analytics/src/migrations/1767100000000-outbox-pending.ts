import { pendingTable, pendingTableReversal } from '@switchboard/outbox';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A narrow row for each event that is to be published, in the place of a mark in the event. Lock and reversal: see `pendingTable`. */
export class OutboxPending1767100000000 implements MigrationInterface {
  readonly name = 'OutboxPending1767100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(pendingTable);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(pendingTableReversal);
  }
}
