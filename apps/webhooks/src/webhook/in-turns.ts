import type { Database, Queryable } from '@switchboard/postgres';

/** Statements of an organization, each in a turn of it: its other work, and that of others, goes on between the slices of a long one. */
export function inTurns(database: Database, tenant: string): Queryable {
  return { query: (asked, values) => database.transaction((tx) => tx.query(asked, values), { tenant }) };
}
