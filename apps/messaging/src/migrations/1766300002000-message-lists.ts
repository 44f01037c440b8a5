import { createPartitionedIndex } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lists of messages: by channel and status, by job and status, by reference. Lock: none that stops reads or writes, each
 * partition is indexed concurrently; so it is no transaction, and goes on where it ended. Reversal: drops them.
 *
 * Organization and what is looked for are one key, and the condition that only these lists state keeps every other
 * statement from being planned with them. Source: docs/adr/0017-lists.md
 */
export class MessageLists1766300002000 implements MigrationInterface {
  readonly name = 'MessageLists1766300002000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const by = (key: string): string => `((organization_id || ' ' || ${key}), id)`;
    const make = (name: string, definition: string): Promise<void> =>
      createPartitionedIndex(runner, { table: 'message', name, definition });
    await make('message_branch', `${by(`channel_id || ' ' || status`)} WHERE channel_id > ''`);
    await make('message_job', `${by(`job_id || ' ' || status`)} WHERE job_id > ''`);
    await make('message_reference', `${by('client_reference')} WHERE client_reference > ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX message_reference, message_job, message_branch');
  }
}
