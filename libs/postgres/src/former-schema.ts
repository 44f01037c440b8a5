import { readFile } from 'node:fs/promises';
import type { QueryRunner } from 'typeorm';
import { sqlState } from './postgres-errors.js';
import { dumpSchema } from './schema-dump.js';

/** A schema that the migrations of before made, and how it becomes the one that the baseline makes. */
export interface FormerSchema {
  /** Names of the former migrations, all of them; a name ends with its timestamp. */
  readonly migrations: readonly string[];
  /** SQL that renames what has another name now, and writes functions anew. */
  readonly renames: string;
  /** What the baseline makes, which the result must equal: `schema.sql`, or its copy of before the second migration. */
  readonly schemaFile: URL;
}

/** A database that is neither empty, nor of the present migrations, nor of the complete list of the former ones. */
export class UnknownSchemaError extends Error {
  constructor(schema: string, difference: string, options?: ErrorOptions) {
    super(
      `The schema ${schema} cannot be migrated: ${difference}. To begin with an empty one: npm start -- --reset`,
      options,
    );
    this.name = 'UnknownSchemaError';
  }
}

/** SQLSTATE class of objects that are missing, or are there already. */
const WRONG_OBJECT = '42';

/**
 * Adopts a schema of the former migrations: renames what has another name, compares the outcome with `schema.sql`, and
 * replaces the rows of the former migrations by one of the baseline, in one transaction. Does nothing to a schema that is
 * empty or has the baseline, whatever a later release has added to it.
 *
 * Lock: ACCESS EXCLUSIVE on what is renamed, until the end.
 *
 * @param former undefined for a service that has none: only an empty schema is begun with
 * @param baseline name of the initial migration
 * @throws UnknownSchemaError for any other schema, with the first difference; nothing is changed then
 */
export async function adoptFormerSchema(
  runner: QueryRunner,
  schema: string,
  former: FormerSchema | undefined,
  baseline: string,
): Promise<void> {
  const applied = await appliedMigrations(runner);
  if (applied.includes(baseline)) return;
  if (applied.length === 0) {
    const [table] = await rowsOf<{ name: string }>(runner, FIRST_TABLE);
    if (table) throw new UnknownSchemaError(schema, `there is a table ${table.name}, and no migration was applied`);
    return;
  }
  if (!former) throw new UnknownSchemaError(schema, `the migration ${applied[0]} is unknown`);
  const difference = differenceOfLists(former.migrations, applied);
  if (difference !== undefined) throw new UnknownSchemaError(schema, difference);
  const golden = await readFile(former.schemaFile, 'utf8');
  await runner.startTransaction();
  try {
    await runner.query(former.renames);
    const changed = differenceOfDumps(golden, await dumpSchema(runner, schema));
    if (changed !== undefined) throw new UnknownSchemaError(schema, changed);
    await runner.query('DELETE FROM migration');
    await runner.query('INSERT INTO migration (timestamp, name) VALUES ($1, $2)', [timestampOf(baseline), baseline]);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    if (error instanceof Error && sqlState(error)?.startsWith(WRONG_OBJECT)) {
      throw new UnknownSchemaError(schema, error.message, { cause: error });
    }
    throw error;
  }
}

/** The first difference between lists of migrations, in words; undefined when both hold the same. */
function differenceOfLists(expected: readonly string[], applied: readonly string[]): string | undefined {
  const missing = expected.find((name) => !applied.includes(name));
  if (missing !== undefined) return `the migration ${missing} was not applied`;
  const unknown = applied.find((name) => !expected.includes(name));
  return unknown === undefined ? undefined : `the migration ${unknown} is unknown`;
}

/** The first line in which two dumps differ, in words; undefined when they are equal. */
function differenceOfDumps(golden: string, actual: string): string | undefined {
  if (golden === actual) return undefined;
  const [expected, found] = [golden.split('\n'), actual.split('\n')];
  const at = expected.findIndex((line, index) => line !== found[index]);
  const line = found[at];
  if (line !== undefined && !expected.includes(line)) return `it has "${line}", which the baseline does not have`;
  return `it has no "${expected[at] ?? ''}", which the baseline has`;
}

const FIRST_TABLE = `
  SELECT relname AS name FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND relname <> 'migration'
  ORDER BY relname LIMIT 1`;

async function appliedMigrations(runner: QueryRunner): Promise<string[]> {
  const [table] = await rowsOf<{ exists: boolean }>(runner, `SELECT to_regclass('migration') IS NOT NULL AS exists`);
  if (!table?.exists) return [];
  const rows = await rowsOf<{ timestamp: string; name: string }>(
    runner,
    'SELECT timestamp, name FROM migration ORDER BY timestamp, name',
  );
  return rows.map(({ name, timestamp }) => (timestampOf(name) === timestamp ? name : `${name} of ${timestamp}`));
}

/** Milliseconds since the Unix epoch, as text. */
function timestampOf(name: string): string {
  return name.slice(-13);
}

async function rowsOf<Row>(runner: QueryRunner, sql: string): Promise<Row[]> {
  return (await runner.query(sql)) as Row[];
}
