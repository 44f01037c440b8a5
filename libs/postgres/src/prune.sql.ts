import type { Statement } from './statement.js';

/** Deletes one slice of old rows; its one row is their number. $1: how many at most. */
export type PruneStatement = Statement<{ readonly count: number }>;

/** Which rows of a table are old. */
export interface PruneSqlSpec {
  readonly table: string;
  /** Columns of the primary key. */
  readonly key: readonly string[];
  /** Indexed column by which rows grow old. */
  readonly age: string;
  /** SQL of the moment up to which `age` is old; may name parameters from $2 on. */
  readonly upTo: string;
}

/**
 * SQL of a `PruneStatement`: deletes the oldest rows first, by the index of their age. Rows that another transaction has
 * locked are left to a later slice, so that no slice waits and no order of locks can deadlock.
 */
export function pruneSql({ table, key, age, upTo }: PruneSqlSpec): string {
  const isSame = key.map((column) => `t.${column} = old.${column}`).join(' AND ');
  return `WITH old AS (
     SELECT ${key.join(', ')} FROM ${table} WHERE ${age} <= ${upTo} ORDER BY ${age} LIMIT $1 FOR UPDATE SKIP LOCKED
   ), pruned AS (
     DELETE FROM ${table} t USING old WHERE ${isSame} RETURNING 1
   )
   SELECT count(*)::int AS count FROM pruned`;
}
