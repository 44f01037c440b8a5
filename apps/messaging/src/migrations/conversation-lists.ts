import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One index for lists by status, by channel and by both, in place of the one by status: such a list is merged from one
 * ordered branch for each channel and status asked for. A message moves its conversation in every index there is, so
 * there are no more of them than before.
 *
 * What names a branch is one key, so that the planner has no choice, as with `message_page`. Source: docs/adr/0017-lists.md
 *
 * Lock: SHARE on conversation while the index is built: writes wait. Then ACCESS EXCLUSIVE for a moment. Replicas of the
 * release before list by status along `conversation_position`, slower, until they are replaced. Reversal: the other way
 * round.
 */
export class ConversationLists1764700001000 implements MigrationInterface {
  name = 'ConversationLists1764700001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX IF EXISTS conversation_branch;
      CREATE INDEX conversation_branch
        ON conversation ((organization_id || ' ' || channel_id || ' ' || status), position);
      DROP INDEX IF EXISTS conversation_status_position;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX conversation_status_position ON conversation (organization_id, status, position);
      DROP INDEX conversation_branch;
    `);
  }
}
