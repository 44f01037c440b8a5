import { erasureTable, erasureTableReversal } from '@switchboard/platform';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Contacts whose callbacks are to be overwritten, and acts of API keys in the audit log. Lock: `audit_entry` for the check of
 * its rows, a second for a million. Reversal: drops the table; fails while the log holds an act of a key.
 */
export class Erasure1766610000000 implements MigrationInterface {
  readonly name = 'Erasure1766610000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(erasureTable);
    await runner.query(actorTypes("'user', 'key', 'operator', 'system'"));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(actorTypes("'user', 'operator', 'system'"));
    await runner.query(erasureTableReversal);
  }
}

function actorTypes(types: string): string {
  return `ALTER TABLE audit_entry DROP CONSTRAINT audit_entry_actor_type_check,
    ADD CONSTRAINT audit_entry_actor_type_check CHECK (actor_type IN (${types}))`;
}
