import { SmallTablesMigration } from '@switchboard/postgres';

/** The planner forgets how small a table is while it is small. Lock and reversal: see `smallTables`. */
export class SmallTables1767500000000 extends SmallTablesMigration {
  readonly name = 'SmallTables1767500000000';
}
