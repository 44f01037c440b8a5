import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The messages of a conversation, newest first, in every partition.
 *
 * The planner is left no choice. Organization and conversation are one key, so that the page has no other index to go by.
 * The condition always holds and only the page states it, so that look-ups by id on the hot paths cannot go by this one.
 * Source: docs/adr/0017-lists.md
 *
 * Lock: SHARE on message and its partitions while the index is built: writes wait. Where that is long, build the same
 * index on each partition beforehand, CONCURRENTLY and under any name: it is then found and taken over in a moment.
 * Reversal: drops it.
 */
export class MessageLists1764700000000 implements MigrationInterface {
  name = 'MessageLists1764700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX IF EXISTS message_page;
      CREATE INDEX message_page ON message ((organization_id || ' ' || conversation_id), id) WHERE conversation_id > '';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX message_page');
  }
}
