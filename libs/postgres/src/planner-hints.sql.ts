/**
 * Organizations that a table without statistics is said to hold: one has a quarter of its rows. What matters is that an
 * organization has more than one row.
 */
const ORGANIZATIONS = 4;

/** A call that says of a table how many organizations it holds. @param table an expression of its name */
const declareOrganizations = (table: string): string =>
  `pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', ${table},
      'attname', 'organization_id', 'inherited', false, 'version', current_setting('server_version_num')::integer,
      'null_frac', 0::real, 'avg_width', 25, 'n_distinct', ${ORGANIZATIONS}::real)`;

/**
 * PL/pgSQL that gives the planner statistics for every table of the current schema that has none: an organization has
 * many rows in it.
 *
 * Of a table that is empty or new the planner assumes that each value of a column occurs once. Then the organization
 * alone finds as little as the whole key, and any index that begins with it will do, at the same cost: statements are
 * planned with those, once for a connection, and read all rows of an organization for each row they look for until the
 * table is analyzed. The first real statistics replace these. Before PostgreSQL 18 it does nothing.
 *
 * Lock: SHARE UPDATE EXCLUSIVE on those tables, for a moment. Source: docs/adr/0022-planner.md
 */
export const plannerHints = `
  IF to_regproc('pg_catalog.pg_restore_attribute_stats') IS NOT NULL THEN
    DECLARE
      unknown text;
    BEGIN
      FOR unknown IN SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id'
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname <> ALL (ARRAY(
          SELECT s.tablename FROM pg_stats s WHERE s.schemaname = current_schema() AND s.attname = 'organization_id'))
      LOOP
        BEGIN
          -- Of a table that is dropped at this moment the function knows no better than to fail with an internal error.
          EXECUTE format('LOCK TABLE %I IN SHARE UPDATE EXCLUSIVE MODE', unknown);
          PERFORM ${declareOrganizations('unknown')};
        EXCEPTION
          WHEN undefined_table THEN NULL;
        END;
      END LOOP;
    END;
  END IF;
`;

/** PL/pgSQL of the same for one table of the current schema, which may have statistics. @param table a variable with its name */
export const plannerHintOf = (table: string): string => `
        PERFORM ${declareOrganizations(table)}
        FROM pg_attribute WHERE attrelid = to_regclass(format('%I', ${table})) AND attname = 'organization_id';
`;

/**
 * Settings of a function that reads the catalog with `plannerHints`: those of the server, in place of those of a service's
 * connections (`database.ts`). With these the view `pg_stats` is read as a whole for each column of each table: 1 s with
 * 71 tables, and without an end after a year of months. Source: docs/adr/0022-planner.md
 */
export const catalogPlanner = `
  SET join_collapse_limit = 8 SET enable_seqscan = on SET enable_bitmapscan = on
  SET enable_hashjoin = on SET enable_mergejoin = on
`;
