import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The messages of a conversation, newest first, in every partition.
 *
 * Partial by a condition that always holds and that only the statement of that list states: the look-ups by primary key
 * on the hot paths can never be planned with it, not on partitions that are empty either, where all plans cost the same.
 *
 * Lock: SHARE on message and its partitions while the index is built: writes wait. Where that is long, build the same
 * index on each partition beforehand, CONCURRENTLY and under any name: it is then found and taken over in a moment.
 * Reversal: drops it.
 */
export class MessageLists1764600000000 implements MigrationInterface {
  name = 'MessageLists1764600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX message_page ON message (organization_id, conversation_id, id) WHERE conversation_id > ''
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX message_page');
  }
}
