import type { MigrationInterface, QueryRunner } from 'typeorm';
import { jobTables, jobTablesReversal } from './jobs/jobs.sql.js';
import { jobKeyTable, jobKeyTableReversal, recipientTables, recipientTablesReversal } from './jobs/recipients.sql.js';

/** Adds jobs and their recipients. Lock: none that matters, everything is new. Reversal: drops what it made. */
export class Jobs1766200000000 implements MigrationInterface {
  readonly name = 'Jobs1766200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(jobTables);
    await runner.query(recipientTables);
    await runner.query(jobKeyTable);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(jobKeyTableReversal);
    await runner.query(recipientTablesReversal);
    await runner.query(jobTablesReversal);
  }
}
