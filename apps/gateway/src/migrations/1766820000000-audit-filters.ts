import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes by which acts of one actor or of a period are found in a long audit log.
 *
 * Lock: SHARE on `audit_entry` while they are built; acts that are to be recorded wait. Reversal: drops the indexes.
 */
export class AuditFilters1766820000000 implements MigrationInterface {
  readonly name = 'AuditFilters1766820000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX audit_entry_actor ON audit_entry (organization_id, actor_id, sequence)');
    await runner.query('CREATE INDEX audit_entry_at ON audit_entry (organization_id, at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX audit_entry_actor, audit_entry_at');
  }
}
