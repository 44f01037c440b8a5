import { catalogPlanner, plannerHintsAlone } from './planner-hints.sql.js';
import type { StatementRunner } from './statement-runner.js';

/** Tables of fewer pages are planned for as if nothing were known of their size. */
const SMALL_PAGES = 32;

/**
 * DDL of `forget_small_sizes()`: of tables that VACUUM or ANALYZE found small or emptied it forgets all that these have measured, and
 * returns how many they are.
 *
 * Of a table that is empty or has a page or two the planner says that reading all of it costs less than ten look-ups by its
 * key, and the plan is kept while the table fills. Of a table whose size was never measured it assumes ten pages at least, and
 * more when the file has more: then look-ups win. Before PostgreSQL 18 it does nothing.
 *
 * Emptied is a table with less than a row a page: a queue that was measured while all of it was done. To the planner any index
 * that begins with the tenant finds as little in it as the key does, and each look-up reads all that fills it again, or that an
 * old snapshot keeps in it. Its file is the better measure of that, and what the few rows have said of each column says nothing.
 *
 * Lock: SHARE UPDATE EXCLUSIVE on such a table for a moment; one that is not free within 100 ms has its turn in the next call.
 * Source: docs/adr/0022-planner.md
 */
export const smallTables = `
  CREATE OR REPLACE FUNCTION forget_small_sizes() RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '100ms' ${catalogPlanner} AS $$
  DECLARE
    small text;
    forgotten integer := 0;
  BEGIN
    IF to_regproc('pg_catalog.pg_clear_relation_stats') IS NULL
      OR NOT pg_try_advisory_xact_lock(hashtextextended('forget_small_sizes of ' || current_schema(), 0)) THEN
      RETURN 0;
    END IF;
    FOR small IN SELECT relname FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND reltuples >= 0
        AND (relpages < ${SMALL_PAGES} OR reltuples < relpages)
    LOOP
      BEGIN
        PERFORM pg_clear_relation_stats(current_schema()::text, small);
        ${plannerHintsAlone('small').trim()}
        forgotten := forgotten + 1;
      EXCEPTION
        -- VACUUM has it, it was dropped meanwhile, or it is somebody else's.
        WHEN lock_not_available OR undefined_table OR insufficient_privilege THEN NULL;
      END;
    END LOOP;
    RETURN forgotten;
  END $$;
  REVOKE ALL ON FUNCTION forget_small_sizes() FROM PUBLIC;
`;

/** Takes `smallTables` back. */
export const smallTablesReversal = 'DROP FUNCTION forget_small_sizes();';

/** Makes `smallTables`, of which lock and reversal are; a service extends it with a name and a timestamp. */
export abstract class SmallTablesMigration {
  async up(runner: StatementRunner): Promise<void> {
    await runner.query(smallTables);
  }

  async down(runner: StatementRunner): Promise<void> {
    await runner.query(smallTablesReversal);
  }
}

/** Replaces the function of a former release by today's. Lock: none on tables. Reversal: none, it forgets more. */
export abstract class SmallTablesAgainMigration {
  async up(runner: StatementRunner): Promise<void> {
    await runner.query(smallTables);
  }

  async down(): Promise<void> {}
}

/**
 * Autovacuum does not measure what is in a queue any more, so that its plans are those of a table that was never measured, whatever was
 * in it at some moment. VACUUM goes on. Before PostgreSQL 18, which can be given no hints in its place, it does nothing. A service extends
 * it with a name, a timestamp and the queue.
 *
 * Lock: SHARE UPDATE EXCLUSIVE. Reversal: whole. Source: docs/adr/0022-planner.md
 */
export abstract class UnmeasuredQueueMigration {
  protected abstract readonly queue: string;

  async up(runner: StatementRunner): Promise<void> {
    await runner.query(`
      DO $$ BEGIN
        IF to_regproc('pg_catalog.pg_clear_attribute_stats') IS NOT NULL THEN
          ALTER TABLE ${this.queue} SET (autovacuum_analyze_threshold = 2147483647);
          ${plannerHintsAlone(`'${this.queue}'`).trim()}
        END IF;
      END $$`);
  }

  async down(runner: StatementRunner): Promise<void> {
    await runner.query(`ALTER TABLE ${this.queue} RESET (autovacuum_analyze_threshold)`);
  }
}
