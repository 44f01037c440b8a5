import { outboxTables, outboxTablesReversal } from '@switchboard/outbox';
import { partitionFunctions, partitionFunctionsReversal } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The whole schema. Lock: none that matters, everything is new. Reversal: drops what it made. */
export class Initial1764900000000 implements MigrationInterface {
  readonly name = 'Initial1764900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(partitionFunctions);
    await runner.query(outboxTables);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(outboxTablesReversal);
    await runner.query(partitionFunctionsReversal);
  }
}
