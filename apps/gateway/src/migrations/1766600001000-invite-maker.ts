import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who made an invitation: it is only as good as its maker's role. Of open invitations the audit log knows.
 *
 * Lock: ACCESS EXCLUSIVE on `invite`, for the time that a few open invitations take. Reversal: drops the column.
 */
export class InviteMaker1766600001000 implements MigrationInterface {
  readonly name = 'InviteMaker1766600001000';

  async up(runner: QueryRunner): Promise<void> {
    // Null for one that an earlier version makes meanwhile: it cannot be accepted.
    await runner.query('ALTER TABLE invite ADD COLUMN invited_by text COLLATE "C" REFERENCES user_account');
    await runner.query(
      `UPDATE invite i SET invited_by = e.actor_id
       FROM audit_entry e JOIN user_account u ON u.id = e.actor_id
       WHERE e.organization_id = i.organization_id AND e.action = 'invite.created' AND e.after ->> 'id' = i.id`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE invite DROP COLUMN invited_by');
  }
}
