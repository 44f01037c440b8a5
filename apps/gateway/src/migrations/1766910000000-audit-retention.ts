import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { TableRights } from '@switchboard/postgres';
import { auditFloorTable, pruneAuditFunction } from './audit-retention.sql.js';

/**
 * Lets an operator have old entries of the audit log removed. Lock: none that stops reads or writes, the index is made
 * concurrently; so it is no transaction, and goes on where it ended. Reversal: drops them; chains that were cut are faulty then.
 */
export class AuditRetention1766910000000 implements MigrationInterface {
  static readonly tableRights: TableRights = { audit_floor: ['SELECT'] };
  readonly name = 'AuditRetention1766910000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // It waits for transactions that are older, however long they take; it stops no other meanwhile.
    await runner.query('SET lock_timeout = 0');
    try {
      await runner.query('DROP INDEX CONCURRENTLY IF EXISTS audit_entry_age');
      await runner.query('CREATE INDEX CONCURRENTLY audit_entry_age ON audit_entry (at)');
    } finally {
      await runner.query('RESET lock_timeout');
    }
    await runner.query(auditFloorTable);
    await runner.query(pruneAuditFunction);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION prune_audit(integer, integer)');
    await runner.query('DROP TABLE audit_floor');
    await runner.query('DROP INDEX audit_entry_age');
  }
}
