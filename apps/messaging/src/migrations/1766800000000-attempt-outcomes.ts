import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  attemptOutcomePartitions,
  attemptOutcomeTable,
  attemptOutcomeTableReversal,
} from './attempt-outcome/attempt-outcomes.sql.js';
import { messagePartitions } from './initial/message-partitions.sql.js';

/** Attempts that did not settle their message. Lock: none, the table is new. Reversal: drops it. */
export class AttemptOutcomes1766800000000 implements MigrationInterface {
  readonly name = 'AttemptOutcomes1766800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(attemptOutcomeTable);
    await runner.query(attemptOutcomePartitions);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(messagePartitions);
    await runner.query(attemptOutcomeTableReversal);
  }
}
