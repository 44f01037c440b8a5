import type { QueryResultRow } from 'pg';

/** SQL with a name: prepared once per connection, and what spans and metrics call it. */
export interface Statement<Row extends QueryResultRow = QueryResultRow> {
  readonly name: string;
  readonly text: string;
  /** It changes nothing that outlives its transaction: run outside of one it does no harm. False by default. */
  readonly writesNothing?: boolean;
  /** Compile-time only: the shape of a row. */
  readonly row?: Row;
}

/**
 * Declares a prepared statement.
 *
 * @param name `<service>.<what it does>`, at most 63 bytes (the server cuts longer names, and cut names collide)
 * @throws RangeError when the name is too long: a bug
 */
export function statement<Row extends QueryResultRow = QueryResultRow>(
  name: string,
  text: string,
  options: Pick<Statement, 'writesNothing'> = {},
): Statement<Row> {
  if (Buffer.byteLength(name) > 63) throw new RangeError(`statement name too long: ${name}`);
  return Object.freeze({ name, text, ...options });
}

/** A statement as node-postgres runs it: prepared once per connection under its name. */
export function prepared(
  { name, text }: Statement,
  values: readonly unknown[],
): { name: string; text: string; values: unknown[] } {
  return { name, text, values: [...values] };
}
