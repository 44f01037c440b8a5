import { createPartitionedIndex } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which message an event is about, for its timeline; events from before are about none. Lock: of `event`, for a moment, to add the
 * column; the index is made concurrently, so it is no transaction, and goes on where it ended. Reversal: drops them.
 */
export class EventMessage1766800000000 implements MigrationInterface {
  readonly name = 'EventMessage1766800000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE event ADD COLUMN IF NOT EXISTS message_id text COLLATE "C"');
    const definition = '(message_id) WHERE message_id IS NOT NULL';
    await createPartitionedIndex(runner, { table: 'event', name: 'event_message', definition });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX event_message');
    await runner.query('ALTER TABLE event DROP COLUMN message_id');
  }
}
