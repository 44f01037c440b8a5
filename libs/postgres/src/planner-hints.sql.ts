/**
 * Rows of one organization in a table that nobody has looked through yet, as a share of the table: a quarter. What matters
 * is that they are more than one.
 */
const ORGANIZATIONS = 4;

/**
 * PL/pgSQL that tells the planner of every table of a schema without statistics that an organization has many rows in it.
 *
 * Of a table that is empty or new the planner believes that each value of a column occurs once. Then the organization
 * alone finds as little as the whole key, and any index that begins with it will do, at the same cost: statements are
 * planned with those, once for a connection, and read all rows of an organization for each row they look for until the
 * table is analyzed. The first real statistics replace what is told here. Before PostgreSQL 18 nothing is told.
 *
 * Lock: SHARE UPDATE EXCLUSIVE on those tables, for a moment. Source: docs/adr/0022-planner.md
 */
export function plannerHints(schema: string): string {
  return `
    IF to_regproc('pg_catalog.pg_restore_attribute_stats') IS NOT NULL THEN
      PERFORM pg_restore_attribute_stats('schemaname', '${schema}', 'relname', c.relname::text,
        'attname', 'organization_id', 'inherited', false, 'version', current_setting('server_version_num')::integer,
        'null_frac', 0::real, 'avg_width', 25, 'n_distinct', ${ORGANIZATIONS}::real)
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id'
      WHERE c.relnamespace = '${schema}'::regnamespace AND c.relkind = 'r' AND NOT EXISTS (
        SELECT FROM pg_stats s
        WHERE s.schemaname = '${schema}' AND s.tablename = c.relname AND s.attname = 'organization_id');
    END IF;
  `;
}
