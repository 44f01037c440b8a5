import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An index by which one kind of act of one actor is found, however often either is in a long audit log without the other.
 *
 * Lock: SHARE on `audit_entry` while it is built; acts that are to be recorded wait. Reversal: drops the index.
 */
export class AuditActsOfActor1767960000000 implements MigrationInterface {
  readonly name = 'AuditActsOfActor1767960000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX audit_entry_act ON audit_entry (organization_id, actor_id, action, sequence)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX audit_entry_act');
  }
}
