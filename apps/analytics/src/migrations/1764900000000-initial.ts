import { outboxTables, outboxTablesReversal } from '@switchboard/outbox';
import { partitionFunctions, partitionFunctionsReversal } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { factTables, factTablesReversal } from './initial/facts.sql.js';
import { rollupTable, rollupTableReversal } from './initial/rollup.sql.js';

/** The whole schema. Lock: none that matters, everything is new. Reversal: drops what it made. */
export class Initial1764900000000 implements MigrationInterface {
  readonly name = 'Initial1764900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(partitionFunctions);
    await runner.query(outboxTables);
    await runner.query(factTables);
    await runner.query('SELECT keep_fact_partitions()');
    await runner.query(rollupTable);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(rollupTableReversal);
    await runner.query(factTablesReversal);
    await runner.query(outboxTablesReversal);
    await runner.query(partitionFunctionsReversal);
  }
}
