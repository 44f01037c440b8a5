import { dataKeyTable } from '@switchboard/secrets';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The data keys that seal access tokens. Lock: none, the table is new. Reversal: drops it; tokens sealed by then are lost. */
export class DataKeys1766510000000 implements MigrationInterface {
  readonly name = 'DataKeys1766510000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(dataKeyTable);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE data_key');
  }
}
