import { EmptiedTablesMigration } from '@switchboard/postgres';

/** The planner forgets as well how empty an emptied table is. Lock and reversal: see `EmptiedTablesMigration`. */
export class EmptiedTables1767700000000 extends EmptiedTablesMigration {
  readonly name = 'EmptiedTables1767700000000';
}
