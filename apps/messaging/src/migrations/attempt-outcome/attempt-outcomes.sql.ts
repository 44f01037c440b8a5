import { plannerHints } from '@switchboard/postgres';

/**
 * Attempts that did not settle their message: sent again later, never begun, or without a known outcome. A message that is
 * taken or refused at once has none.
 *
 * Partitioned as `message` is, by the month of the message's id, so that both go at once. Nothing in it is personal.
 * Source: docs/adr/0052-timeline.md
 */
export const attemptOutcomeTable = `
  CREATE TABLE attempt_outcome (
    organization_id text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    -- 1-based. Attempts that never began do not count: they have the number of the next one.
    attempt integer NOT NULL,
    has_begun boolean NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('RETRY', 'UNBEGUN', 'UNKNOWN')),
    -- Of the upstream, or of ours; null where there was no answer.
    code text,
    -- The first of those that never began under one number.
    began_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    -- Of the next attempt; of an unknown outcome, until when evidence is waited for.
    due_at timestamptz NOT NULL,
    times integer NOT NULL DEFAULT 1,
    PRIMARY KEY (organization_id, message_id, attempt, has_begun),
    CHECK (has_begun = (outcome <> 'UNBEGUN'))
  ) PARTITION BY RANGE (message_id);
`;

/** Takes `attemptOutcomeTable` back. */
export const attemptOutcomeTableReversal = 'DROP TABLE attempt_outcome';

/** `keep_message_partitions` with those of outcomes, and those of the months that messages have already. */
export const attemptOutcomePartitions = `
  CREATE OR REPLACE FUNCTION keep_message_partitions() RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DECLARE
    this_month timestamptz := date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
    month timestamptz;
    suffix text;
  BEGIN
    FOR offset_months IN -1..3 LOOP
      month := this_month + make_interval(months => offset_months);
      suffix := to_char(month AT TIME ZONE 'UTC', 'YYYYMM');
      PERFORM ensure_partition('message', month, month + interval '1 month', suffix);
      PERFORM ensure_partition('attempt_outcome', month, month + interval '1 month', suffix);
    END LOOP;
    ${plannerHints}
  END $$;
  REVOKE ALL ON FUNCTION keep_message_partitions() FROM PUBLIC;

  SELECT ensure_partition('attempt_outcome', month, (month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC', suffix)
  FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid
  CROSS JOIN LATERAL (SELECT substring(c.relname FROM '_([0-9]{6})$') AS suffix) AS named
  CROSS JOIN LATERAL (SELECT to_date(suffix, 'YYYYMM')::timestamp AT TIME ZONE 'UTC' AS month) AS dated
  WHERE i.inhparent = 'message'::regclass AND suffix IS NOT NULL;
`;
