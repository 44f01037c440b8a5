import { createPartitionedIndex } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What was sent again of an event, by a replay or by hand, for the timeline of its message: the ids of such deliveries do not follow
 * from event and webhook. A partial index, so that ordinary attempts cost nothing more. Lock: none that stops rows from being stored;
 * the index is made concurrently, so it is no transaction, and goes on where it ended. Reversal: drops it.
 */
export class AttemptOfEvent1767510000000 implements MigrationInterface {
  readonly name = 'AttemptOfEvent1767510000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const definition = `(event_id) WHERE kind <> 'AUTOMATIC'`;
    await createPartitionedIndex(runner, { table: 'attempt', name: 'attempt_of_event', definition });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX attempt_of_event');
  }
}
