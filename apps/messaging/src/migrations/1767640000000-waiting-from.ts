import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The recipient of a lane from which looks begin: `bulk_item_waiting` keeps the entries of those that have begun behind an old snapshot.
 * Lock: ACCESS EXCLUSIVE on `bulk_lane` for a moment. Reversal: the column goes, nothing is lost. A replica of the release before
 * claims from the first recipient on; what it stores below the bound is found within a minute. Source: docs/adr/0045-lanes.md
 */
export class WaitingFrom1767640000000 implements MigrationInterface {
  readonly name = 'WaitingFrom1767640000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE bulk_lane ADD COLUMN waiting_from integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE bulk_lane DROP COLUMN waiting_from');
  }
}
