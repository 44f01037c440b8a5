/** Columns that say whose a row is: keys begin with them. */
const OWNERS = "('organization_id', 'webhook_id')";
/** Owners that a table without statistics is said to hold: one has a quarter of its rows. What matters is that it has more than one row. */
const OWNERS_HELD = 4;

/** A call that says of a table how many owners it holds. @param table an expression of its name @param owner of the column's */
const declareOwners = (table: string, owner: string): string =>
  `pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', ${table},
      'attname', ${owner}, 'inherited', false, 'version', current_setting('server_version_num')::integer,
      'null_frac', 0::real, 'avg_width', 25, 'n_distinct', ${OWNERS_HELD}::real)`;

/**
 * PL/pgSQL that gives the planner statistics for every table of the current schema that has none: an organization has
 * many rows in it, and so has a webhook.
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
      unknown record;
    BEGIN
      FOR unknown IN SELECT c.relname::text, a.attname::text
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname IN ${OWNERS}
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname || ' ' || a.attname <> ALL (ARRAY(
          SELECT s.tablename || ' ' || s.attname FROM pg_stats s WHERE s.schemaname = current_schema() AND s.attname IN ${OWNERS}))
      LOOP
        BEGIN
          -- Of a table that is dropped at this moment the function knows no better than to fail with an internal error.
          EXECUTE format('LOCK TABLE %I IN SHARE UPDATE EXCLUSIVE MODE', unknown.relname);
          PERFORM ${declareOwners('unknown.relname', 'unknown.attname')};
        EXCEPTION
          -- Dropped meanwhile, held by VACUUM, or somebody else's.
          WHEN undefined_table OR lock_not_available OR insufficient_privilege THEN NULL;
        END;
      END LOOP;
    END;
  END IF;
`;

/** PL/pgSQL after which a table of the current schema has the same hints and no other statistics of its columns. @param table a variable with its name */
export const plannerHintsAlone = (table: string): string => `
        PERFORM pg_clear_attribute_stats(current_schema()::text, ${table}, attname, false)
        FROM pg_attribute WHERE attrelid = to_regclass(format('%I', ${table})) AND attnum > 0 AND NOT attisdropped;
        PERFORM ${declareOwners(table, 'attname::text')}
        FROM pg_attribute WHERE attrelid = to_regclass(format('%I', ${table})) AND attname IN ${OWNERS};
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
