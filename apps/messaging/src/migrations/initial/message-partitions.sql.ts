import { plannerHints } from '@switchboard/postgres';

/** The function that makes the months of `message`, one back to three ahead, and gives the planner hints about new ones. */
export const messagePartitions = `
  CREATE OR REPLACE FUNCTION keep_message_partitions() RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DECLARE
    this_month timestamptz := date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
    month timestamptz;
  BEGIN
    FOR offset_months IN -1..3 LOOP
      month := this_month + make_interval(months => offset_months);
      PERFORM ensure_partition('message', month, month + interval '1 month', to_char(month AT TIME ZONE 'UTC', 'YYYYMM'));
    END LOOP;
    ${plannerHints}
  END $$;
  REVOKE ALL ON FUNCTION keep_message_partitions() FROM PUBLIC;
`;

/** Takes `messagePartitions` back. */
export const messagePartitionsReversal = 'DROP FUNCTION keep_message_partitions()';
