import type { TableRights } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { attemptOutcomePartitions } from './attempt-outcome/attempt-outcomes.sql.js';
import { upstreamMessagePartitions, upstreamMessagePartitionsReversal } from './retention/months.sql.js';
import {
  messageFloorTable,
  messageFloorTableReversal,
  messageMonths,
  messageMonthsReversal,
  retentionFunctions,
  retentionFunctionsReversal,
} from './retention/retention.sql.js';

/**
 * Months of messages that can be removed. Lock: ACCESS EXCLUSIVE on `upstream_message` while its rows are read once (about 0.2 s a
 * million); none is written. Reversal: copies them into a plain table.
 */
export class MessageRetention1767000001000 implements MigrationInterface {
  static readonly tableRights: TableRights = { message_floor: ['SELECT'] };
  readonly name = 'MessageRetention1767000001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(upstreamMessagePartitions);
    await runner.query(messageMonths);
    await runner.query(messageFloorTable);
    await runner.query(retentionFunctions);
    await runner.query('SELECT keep_message_partitions()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(retentionFunctionsReversal);
    await runner.query(messageFloorTableReversal);
    await runner.query(attemptOutcomePartitions);
    await runner.query(messageMonthsReversal);
    await runner.query(upstreamMessagePartitionsReversal);
  }
}
