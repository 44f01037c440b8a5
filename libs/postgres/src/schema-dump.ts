/** What runs a query: a data source, or a query runner in its transaction. */
export interface DumpSource {
  query(sql: string, parameters: unknown[]): Promise<unknown>;
}

/**
 * A schema as text, in a stable order: what `schema.sql` holds and a test compares, so that every change of the
 * database is seen in review. Partitions are left out: their names change with the date.
 */
export async function dumpSchema(source: DumpSource, schema: string): Promise<string> {
  const sections: string[] = [];
  for (const [title, sql] of SECTIONS) {
    const rows = (await source.query(sql, [schema])) as { line: string }[];
    if (rows.length > 0) sections.push(`-- ${title}\n${rows.map(({ line }) => line).join('\n')}`);
  }
  return `${sections.join('\n\n')}\n`;
}

const OWN_TABLES = `pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = $1
  AND c.relkind IN ('r', 'p') AND NOT c.relispartition`;

const SECTIONS: readonly (readonly [string, string])[] = [
  [
    'tables',
    `SELECT c.relname || CASE c.relpersistence WHEN 'u' THEN ' unlogged' ELSE '' END
       || coalesce(' partition by ' || pg_get_partkeydef(c.oid), '')
       || coalesce(' with ' || array_to_string(c.reloptions, ', '), '') AS line
     FROM ${OWN_TABLES} ORDER BY c.relname`,
  ],
  [
    'columns',
    `SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
       || CASE WHEN a.attcollation <> 0 AND co.collname <> 'default' THEN ' collate ' || co.collname ELSE '' END
       || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
       || CASE a.attidentity WHEN '' THEN '' ELSE ' identity' END
       || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') AS line
     FROM ${OWN_TABLES}
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     LEFT JOIN pg_collation co ON co.oid = a.attcollation
     LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     ORDER BY c.relname, a.attnum`,
  ],
  [
    'constraints',
    `SELECT c.relname || ': ' || pg_get_constraintdef(k.oid) AS line
     FROM ${OWN_TABLES} JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype <> 'n'
     ORDER BY c.relname, k.contype, k.conname`,
  ],
  [
    'indexes',
    `SELECT pg_get_indexdef(i.indexrelid) AS line FROM ${OWN_TABLES} JOIN pg_index i ON i.indrelid = c.oid
     ORDER BY c.relname, pg_get_indexdef(i.indexrelid)`,
  ],
  [
    'functions',
    `SELECT p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')'
       || CASE WHEN p.prosecdef THEN ' security definer' ELSE '' END AS line
     FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace AND n.nspname = $1 ORDER BY 1`,
  ],
  [
    'triggers',
    `SELECT pg_get_triggerdef(t.oid) AS line FROM ${OWN_TABLES}
     JOIN pg_trigger t ON t.tgrelid = c.oid AND NOT t.tgisinternal ORDER BY c.relname, t.tgname`,
  ],
  [
    'columns without samples for the planner',
    `SELECT c.relname || '.' || a.attname AS line
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = $1
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND a.attstattarget = 0
     WHERE NOT c.relispartition ORDER BY 1`,
  ],
];
