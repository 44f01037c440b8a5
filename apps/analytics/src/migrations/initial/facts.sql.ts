/** What is known of each message and opt-out: the source of every count. No number, name or text. */
export const factTables = `
  CREATE TABLE message_fact (
    organization_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    channel_id text COLLATE "C" NOT NULL,
    contact_id text COLLATE "C" NOT NULL,
    is_inbound boolean NOT NULL,
    template_id text COLLATE "C",
    -- The sequence, within its conversation, of the event that said so: a higher one is newer.
    version bigint NOT NULL,
    -- 0 accepted, 1 sent, 2 delivered, 3 read: the highest that was reached.
    stage smallint NOT NULL,
    is_failed boolean NOT NULL,
    error_code text,
    sent_at timestamptz,
    delivered_at timestamptz,
    read_at timestamptz,
    -- Of messages made from a template: what the contact did in the 72 hours after, see src/credit.
    is_replied boolean NOT NULL DEFAULT false,
    is_opted_out boolean NOT NULL DEFAULT false,
    PRIMARY KEY (organization_id, id)
  ) PARTITION BY RANGE (id);
  -- Of months that are not kept ready: events of long ago, that are delivered again.
  CREATE TABLE message_fact_other PARTITION OF message_fact DEFAULT;
  CREATE INDEX message_fact_of_contact ON message_fact (organization_id, channel_id, contact_id, id)
    WHERE is_inbound OR template_id IS NOT NULL;

  CREATE TABLE opt_out_fact (
    organization_id text COLLATE "C" NOT NULL,
    channel_id text COLLATE "C" NOT NULL,
    contact_id text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, channel_id, contact_id, created_at)
  );

  CREATE TABLE template_name (
    organization_id text COLLATE "C" NOT NULL,
    template_id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    language text NOT NULL,
    PRIMARY KEY (organization_id, template_id)
  );

  CREATE OR REPLACE FUNCTION keep_fact_partitions() RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DECLARE
    this_month timestamptz := date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
    month timestamptz;
  BEGIN
    FOR offset_months IN -1..3 LOOP
      month := this_month + make_interval(months => offset_months);
      PERFORM ensure_partition('message_fact', month, month + interval '1 month',
        to_char(month AT TIME ZONE 'UTC', 'YYYYMM'));
    END LOOP;
  END $$;
  REVOKE ALL ON FUNCTION keep_fact_partitions() FROM PUBLIC;
`;

/** Takes `factTables` back. */
export const factTablesReversal = `
  DROP FUNCTION keep_fact_partitions();
  DROP TABLE template_name, opt_out_fact, message_fact;
`;
