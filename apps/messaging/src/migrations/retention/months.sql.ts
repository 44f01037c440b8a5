const THIS_MONTH = `date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`;

/**
 * `month`: the floor of a month's cuids. Of an outbound message that of its id; of an inbound one that of the upstream's time of it,
 * which every repetition has, so that all meet in one partition. Rows that are there are of this month, without being written. The
 * default is for replicas of the release before, which do not name it. Source: docs/adr/0005-partitions.md
 */
export const upstreamMessageMonth = `
  DO $$
  BEGIN
    EXECUTE format('ALTER TABLE upstream_message ADD COLUMN IF NOT EXISTS month text COLLATE "C" NOT NULL DEFAULT %L',
      cuid_floor(${THIS_MONTH}));
    ALTER TABLE upstream_message ALTER COLUMN month SET DEFAULT cuid_floor(${THIS_MONTH});
  END $$;
`;

/** The key of a partition, made while rows are stored; one after the other, none in a transaction. */
export const upstreamMessageMonthIndex = [
  'DROP INDEX CONCURRENTLY IF EXISTS upstream_message_month',
  'CREATE UNIQUE INDEX CONCURRENTLY upstream_message_month ON upstream_message (channel_id, upstream_message_id, month)',
] as const;

/** Takes `upstreamMessageMonth` back, and its index. */
export const upstreamMessageMonthReversal = 'ALTER TABLE upstream_message DROP COLUMN month';

/** The table becomes the partition of this month and all before it; whoever may use it may use the new one, from the same moment on. */
export const upstreamMessagePartitions = `
  ALTER TABLE upstream_message DROP CONSTRAINT upstream_message_pkey,
    ADD CONSTRAINT upstream_message_pkey PRIMARY KEY USING INDEX upstream_message_month;
  DO $$
  DECLARE
    this_month timestamptz := ${THIS_MONTH};
    child text := 'upstream_message_' || to_char(this_month AT TIME ZONE 'UTC', 'YYYYMM');
    given record;
  BEGIN
    EXECUTE format('ALTER TABLE upstream_message RENAME TO %I', child);
    EXECUTE format('ALTER INDEX upstream_message_pkey RENAME TO %I', child || '_pkey');
    EXECUTE format('CREATE TABLE upstream_message (LIKE %I INCLUDING ALL EXCLUDING INDEXES,
      PRIMARY KEY (channel_id, upstream_message_id, month)) PARTITION BY RANGE (month)', child);
    EXECUTE format('ALTER TABLE upstream_message ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', child,
      cuid_floor((this_month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC'));
    FOR given IN SELECT acl.grantee::regrole AS role, string_agg(acl.privilege_type, ', ') AS rights
      FROM pg_class c CROSS JOIN aclexplode(c.relacl) AS acl
      WHERE c.oid = quote_ident(child)::regclass AND acl.grantee NOT IN (0, c.relowner) GROUP BY 1
    LOOP
      EXECUTE format('GRANT %s ON upstream_message TO %s', given.rights, given.role);
      EXECUTE format('REVOKE ALL ON %I FROM %s', child, given.role);
    END LOOP;
  END $$;
`;

/** Takes `upstreamMessagePartitions` back: the rows are copied, one of each id. */
export const upstreamMessagePartitionsReversal = `
  CREATE TABLE upstream_message_whole (LIKE upstream_message INCLUDING ALL EXCLUDING INDEXES);
  INSERT INTO upstream_message_whole
    SELECT DISTINCT ON (channel_id, upstream_message_id) * FROM upstream_message ORDER BY channel_id, upstream_message_id, month;
  DROP TABLE upstream_message;
  ALTER TABLE upstream_message_whole RENAME TO upstream_message;
  ALTER TABLE upstream_message ADD CONSTRAINT upstream_message_pkey PRIMARY KEY (channel_id, upstream_message_id);
  CREATE UNIQUE INDEX upstream_message_month ON upstream_message (channel_id, upstream_message_id, month);
`;
