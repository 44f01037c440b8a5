import { unmeasuredQueue, unmeasuredQueueReversal } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What `delivery` held at some moment says nothing of what it will hold. Lock: SHARE UPDATE EXCLUSIVE on it. Reversal: whole. */
export class UnmeasuredQueue1767800001000 implements MigrationInterface {
  readonly name = 'UnmeasuredQueue1767800001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(unmeasuredQueue('delivery'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(unmeasuredQueueReversal('delivery'));
  }
}
