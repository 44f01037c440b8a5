import type { StackDatabase } from './stack-database.js';

/** Every table of every schema that holds one of the texts, however it is stored, and the number of its rows that do. */
export async function tablesWith(database: StackDatabase, texts: readonly string[]): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'm') AND NOT c.relispartition AND n.nspname <> 'information_schema'
       AND n.nspname NOT LIKE 'pg\\_%' ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${name} AS t WHERE t::text LIKE ANY ($1::text[])`,
      [patternsOf(texts)],
    );
    if (row && row.count > 0) found.push(`${name}: ${row.count}`);
  }
  return found;
}

/** Every column, and expression of an index, whose samples for the planner (`pg_statistic`) hold one of the texts. */
export async function samplesWith(database: StackDatabase, texts: readonly string[]): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `SELECT format('%I.%I.%I', schemaname, tablename, attname) AS name FROM pg_stats
     WHERE pg_stats::text LIKE ANY ($1::text[]) ORDER BY 1`,
    [patternsOf(texts)],
  );
  return rows.map(({ name }) => name);
}

function patternsOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => [text, ...encoded(text)]).map((form) => `%${form}%`);
}

/** A text as bytes of a column show it, and inside of base 64. */
function encoded(text: string): string[] {
  const bytes = Buffer.from(text);
  return [bytes.toString('hex'), bytes.toString('base64').replace(/.?=*$/, '')];
}
