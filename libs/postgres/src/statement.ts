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

const declared = new Map<string, Statement>();

/** Every statement that the modules loaded so far have declared, for who reads their plans. */
export function declaredStatements(): readonly Statement[] {
  return [...declared.values()];
}

/**
 * Declares a prepared statement.
 *
 * @param name `<service>.<what it does>`, at most 63 bytes (the server cuts longer names, and cut names collide)
 * @throws RangeError when the name is too long, or another text has it: a bug
 */
export function statement<Row extends QueryResultRow = QueryResultRow>(
  name: string,
  text: string,
  options: Pick<Statement, 'writesNothing'> = {},
): Statement<Row> {
  if (Buffer.byteLength(name) > 63) throw new RangeError(`statement name too long: ${name}`);
  if ((declared.get(name)?.text ?? text) !== text) throw new RangeError(`two statements are named ${name}`);
  const made = Object.freeze({ name, text, ...options });
  declared.set(name, made);
  return made;
}

/** A statement as node-postgres runs it: prepared once per connection under its name. */
export function prepared(
  { name, text }: Statement,
  values: readonly unknown[],
): { name: string; text: string; values: unknown[] } {
  return { name, text, values: [...values] };
}
