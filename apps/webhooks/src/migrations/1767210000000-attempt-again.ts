import { createPartitionedIndex } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a webhook has got by a replay or by hand, for `onlyMissed`: a partial index, so that ordinary attempts cost nothing more. Its key is
 * one, so that it fits that statement alone (ADR 0022). Lock: none that stops rows from being stored; the index is made concurrently, so it
 * is no transaction, and goes on where it ended. Reversal: drops it.
 */
export class AttemptAgain1767210000000 implements MigrationInterface {
  readonly name = 'AttemptAgain1767210000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const definition = `((webhook_id || ' ' || event_id)) WHERE kind <> 'AUTOMATIC' AND outcome = 'SUCCEEDED'`;
    await createPartitionedIndex(runner, { table: 'attempt', name: 'attempt_again', definition });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX attempt_again');
  }
}
