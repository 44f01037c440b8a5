import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Gives a chain to every organization that has none, so that from here on one without is a fault. What is written says
 * when the organization was made; the entry's own time and writer are those of this migration. Lock: the heads
 * that it makes, in the order in which `appendAuditOfPerson` takes them. Reversal: none, what is written into the log stays.
 */
export class AuditBeginnings1764000008000 implements MigrationInterface {
  name = 'AuditBeginnings1764000008000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO audit_entry (organization_id, action, actor_type, after)
      SELECT id, 'organization.created', 'system', json_build_object('name', name, 'plan', plan,
        'createdAt', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      FROM organization o
      WHERE NOT EXISTS (SELECT FROM audit_head h WHERE h.organization_id = o.id)
        AND NOT EXISTS (SELECT FROM audit_entry e WHERE e.organization_id = o.id)
      ORDER BY o.id`);
  }

  async down(): Promise<void> {}
}
