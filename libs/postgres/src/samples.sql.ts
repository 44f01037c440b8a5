/** Columns by their table; by an index, its expressions as `pg_stats` names them. */
export type SampledColumns = Readonly<Record<string, readonly string[]>>;

/**
 * SQL that keeps values of columns out of the planner's statistics, for a migration: no ANALYZE reads them any more, and
 * what was sampled is gone, also of partitions. For all that people write and are found by; nothing that is erased may stay
 * in `pg_statistic`. `unsampledPartitions` does the same for later partitions.
 *
 * Statements are planned for any value (`force_generic_plan`), so that no plan uses a sample; of the rest, a look-up by the
 * whole key of an index needs nothing. A column that is filtered by otherwise may: see docs/adr/0022-planner.md.
 *
 * Lock: SHARE UPDATE EXCLUSIVE on those tables and indexes. Reads and writes go on; an ANALYZE under way ends first, or is
 * canceled if it is autovacuum's. PostgreSQL 18. Source: docs/adr/0049-erasing-a-contact.md
 *
 * @throws of the database, when there is no such table, index, column or expression
 */
export function stopSampling(columns: SampledColumns): string {
  const clear =
    'PERFORM pg_clear_attribute_stats(current_schema()::text, place.name, place.attribute, place.is_parent);';
  return forEachPlace(columns, '0', clear);
}

/** Takes `stopSampling` back; the next ANALYZE reads the columns again. */
export function resumeSampling(columns: SampledColumns): string {
  return forEachPlace(columns, '-1', '');
}

function forEachPlace(columns: SampledColumns, target: '0' | '-1', then: string): string {
  const places = Object.entries(columns).flatMap(([relation, names]) =>
    names.map((name) => `('${relation}', '${name}')`),
  );
  return `
    DO $$
    DECLARE
      place record;
    BEGIN
      FOR place IN
        SELECT tree.relid::regclass AS relation, c.relname::text AS name, given.attribute, c.relkind = 'p' AS is_parent,
          CASE WHEN c.relkind IN ('i', 'I') THEN 'INDEX' ELSE 'TABLE ONLY' END AS kind
        FROM (VALUES ${places.join(', ')}) AS given(relation, attribute)
        CROSS JOIN LATERAL (SELECT given.relation::regclass AS relid
          UNION SELECT part.relid FROM pg_partition_tree(given.relation::regclass) AS part) AS tree
        JOIN pg_class c ON c.oid = tree.relid
        ORDER BY given.relation, c.relkind DESC, c.relname
      LOOP
        EXECUTE format('ALTER %s %s ALTER COLUMN %I SET STATISTICS ${target}', place.kind, place.relation, place.attribute);
        ${then}
      END LOOP;
    END $$;
  `;
}

/**
 * `ensure_partition` of `partitionFunctions`, for a later migration: what is not sampled of the parent is not sampled of the
 * partition either. It looks at one that was there, too: a replica may have made it while the parent was changed.
 */
export const unsampledPartitions = `
  CREATE OR REPLACE FUNCTION ensure_partition(parent text, moment_from timestamptz, moment_to timestamptz, suffix text)
  RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DECLARE
    child text := parent || '_' || suffix;
    is_new boolean;
    place record;
  BEGIN
    -- Two replicas may ask at once: one makes it, the other finds it.
    PERFORM pg_advisory_xact_lock(hashtextextended(current_schema() || '.' || child, 0));
    is_new := to_regclass(quote_ident(child)) IS NULL;
    IF is_new THEN
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', child, parent);
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        parent, child, cuid_floor(moment_from), cuid_floor(moment_to));
    END IF;
    FOR place IN
      SELECT pair.kind, pair.child, own.attname
      FROM (
        SELECT 'TABLE' AS kind, quote_ident(parent)::regclass AS parent, quote_ident(child)::regclass AS child
        UNION ALL
        SELECT 'INDEX', i.inhparent, i.inhrelid FROM pg_index x JOIN pg_inherits i ON i.inhrelid = x.indexrelid
        WHERE x.indrelid = quote_ident(child)::regclass) AS pair
      JOIN pg_attribute given ON given.attrelid = pair.parent AND given.attnum > 0 AND given.attstattarget = 0
      JOIN pg_attribute own ON own.attrelid = pair.child AND own.attnum > 0 AND own.attstattarget IS DISTINCT FROM 0
        AND CASE pair.kind WHEN 'INDEX' THEN own.attnum = given.attnum ELSE own.attname = given.attname END
    LOOP
      EXECUTE format('ALTER %s %s ALTER COLUMN %I SET STATISTICS 0', place.kind, place.child, place.attname);
    END LOOP;
    RETURN is_new;
  END $$;
`;
