import { createPartitionedIndex } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The failed attempts of a webhook, for its log: a partial index, so that attempts which succeed cost nothing more. Lock: none that stops
 * rows from being stored; the index is made concurrently, so it is no transaction, and goes on where it ended. Reversal: drops it.
 */
export class AttemptFailed1767200000000 implements MigrationInterface {
  readonly name = 'AttemptFailed1767200000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const definition = `(webhook_id, id) WHERE outcome = 'FAILED'`;
    await createPartitionedIndex(runner, { table: 'attempt', name: 'attempt_failed', definition });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX attempt_failed');
  }
}
