import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One index for lists by status, by channel and by both, in place of the one by status: such a list is merged from one
 * ordered branch for each channel and status asked for. A message moves its conversation in every index there is, so
 * there are no more of them than before. Partial by a condition that always holds, as `message_page` is, so that no
 * look-up by key can be planned with it.
 *
 * Lock: SHARE on conversation while the index is built (writes wait; built beforehand under this name, CONCURRENTLY, it
 * is found), then ACCESS EXCLUSIVE for a moment. Reversal: the other way round.
 */
export class ConversationLists1764600001000 implements MigrationInterface {
  name = 'ConversationLists1764600001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX IF NOT EXISTS conversation_branch
        ON conversation (organization_id, channel_id, status, position) WHERE status > '';
      DROP INDEX conversation_status_position;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX conversation_status_position ON conversation (organization_id, status, position);
      DROP INDEX conversation_branch;
    `);
  }
}
