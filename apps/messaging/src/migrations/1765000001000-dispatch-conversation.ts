import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds what of a conversation is still to be sent. Only retries are in it: a send that is not deferred costs nothing. */
export const dispatchConversationIndex = `
  CREATE INDEX IF NOT EXISTS dispatch_conversation ON dispatch (organization_id, channel_id, contact_id, message_id)
    WHERE state = 'RETRY'`;

/**
 * A send waits behind an earlier one of its conversation that is still to be sent.
 *
 * Lock: SHARE on `dispatch`, which is small. `IF NOT EXISTS`: an adopted former schema has it. Reversal: the index goes.
 */
export class DispatchConversation1765000001000 implements MigrationInterface {
  readonly name = 'DispatchConversation1765000001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(dispatchConversationIndex);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX dispatch_conversation');
  }
}
