import { SmallTablesAgainMigration, type StatementRunner } from '@switchboard/postgres';
import { keepPartitionsQuickly } from './retention/retention.sql.js';

/**
 * The planner forgets as well what was measured of a small or emptied table's columns, and a table that is not the service's own keeps no
 * month from being made. Lock and reversal: see `SmallTablesAgainMigration`.
 */
export class UnmeasuredTables1767800000000 extends SmallTablesAgainMigration {
  readonly name = 'UnmeasuredTables1767800000000';

  override async up(runner: StatementRunner): Promise<void> {
    await super.up(runner);
    await runner.query(keepPartitionsQuickly);
  }
}
