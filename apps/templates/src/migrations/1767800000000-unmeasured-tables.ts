import { SmallTablesAgainMigration } from '@switchboard/postgres';

/** The planner forgets as well what was measured of a small or emptied table's columns. Lock and reversal: see `SmallTablesAgainMigration`. */
export class UnmeasuredTables1767800000000 extends SmallTablesAgainMigration {
  readonly name = 'UnmeasuredTables1767800000000';
}
