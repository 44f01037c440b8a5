import { personalOutboxColumns } from '@switchboard/outbox';
import { partitionFunctions, resumeSampling, stopSampling, unsampledPartitions } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What people have written, and what they are found by; of an index, its expression. */
const COLUMNS = {
  ...personalOutboxColumns,
  contact: ['phone', 'messaging_id', 'name', 'email', 'applied_statements', 'search_text'],
  contact_search: ['search_grams'],
  contact_alias: ['alias'],
  erased_number: ['aliases'],
  opt_out: ['reason'],
};

/**
 * Keeps what is personal out of the samples that the planner keeps of columns, so that an erasure leaves nothing there.
 *
 * Lock: SHARE UPDATE EXCLUSIVE on those tables, for a moment; rows are not touched. Reversal: they are sampled again.
 */
export class Samples1766900000000 implements MigrationInterface {
  readonly name = 'Samples1766900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(unsampledPartitions);
    await runner.query(stopSampling(COLUMNS));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(resumeSampling(COLUMNS));
    await runner.query(partitionFunctions);
  }
}
