import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Months of facts before those that are kept ready: what a rebuild of an old installation brings has partitions of its own. A month of
 * which rows are in the partition of all others already stays there. Lock: none. Reversal: drops the function; the months stay.
 */
export class FactMonths1767300000000 implements MigrationInterface {
  readonly name = 'FactMonths1767300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION keep_fact_month(moment timestamptz) RETURNS void
      LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
      DECLARE
        first_day timestamp := date_trunc('month', moment AT TIME ZONE 'UTC');
        month timestamptz := first_day AT TIME ZONE 'UTC';
        next_month timestamptz := (first_day + interval '1 month') AT TIME ZONE 'UTC';
        suffix text := to_char(first_day, 'YYYYMM');
      BEGIN
        IF moment NOT BETWEEN now() - interval '10 years' AND now()
          OR to_regclass('message_fact_' || suffix) IS NOT NULL
          OR EXISTS (SELECT FROM message_fact_other WHERE id >= cuid_floor(month) AND id < cuid_floor(next_month))
        THEN
          RETURN;
        END IF;
        IF ensure_partition('message_fact', month, next_month, suffix) THEN
          EXECUTE format('ALTER TABLE %I SET (fillfactor = 60)', 'message_fact_' || suffix);
        END IF;
      END $$;
      REVOKE ALL ON FUNCTION keep_fact_month(timestamptz) FROM PUBLIC;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION keep_fact_month(timestamptz)');
  }
}
