import { plannerHints } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Partitions of messages that are made later are told to the planner as those of the migrations are. Lock: none that
 * matters, a function is replaced. Reversal: the function as it was.
 */
export class PlannerHints1764700002000 implements MigrationInterface {
  name = 'PlannerHints1764700002000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(keepMessagePartitions(plannerHints('messaging')));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(keepMessagePartitions(''));
  }
}

/** @param afterwards what is done when the partitions are there */
function keepMessagePartitions(afterwards: string): string {
  return `
    CREATE OR REPLACE FUNCTION keep_message_partitions() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = messaging, pg_temp AS $$
    DECLARE
      this_month timestamptz := date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
      month timestamptz;
    BEGIN
      FOR offset_months IN -1..3 LOOP
        month := this_month + make_interval(months => offset_months);
        PERFORM ensure_partition('message', month, month + interval '1 month', to_char(month AT TIME ZONE 'UTC', 'YYYYMM'));
      END LOOP;
      ${afterwards}
    END $$;
  `;
}
