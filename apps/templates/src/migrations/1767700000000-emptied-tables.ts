import { SmallTablesAgainMigration } from '@switchboard/postgres';

/** The planner forgets as well how empty an emptied table is. Lock and reversal: see `SmallTablesAgainMigration`. */
export class EmptiedTables1767700000000 extends SmallTablesAgainMigration {
  readonly name = 'EmptiedTables1767700000000';
}
