/** What jobs have set apart of the quota of a month. Source: docs/adr/0014-quota.md */
export const reservationTables = `
  CREATE TABLE quota_reservation (
    organization_id text COLLATE "C" NOT NULL,
    job_id text COLLATE "C" NOT NULL,
    -- YYYY-MM in UTC: all of the job counts there, whenever its messages are made.
    month text COLLATE "C" NOT NULL CHECK (month ~ '^[0-9]{4}-[0-9]{2}$'),
    count integer NOT NULL CHECK (count >= 0),
    released integer NOT NULL DEFAULT 0 CHECK (released >= 0 AND released <= count),
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The job is known to be there.
    confirmed_at timestamptz,
    -- Nothing is given back any more.
    closed_at timestamptz,
    PRIMARY KEY (organization_id, job_id)
  ) WITH (fillfactor = 70);
  CREATE INDEX quota_reservation_month ON quota_reservation (organization_id, month);
  CREATE INDEX quota_reservation_unconfirmed ON quota_reservation (created_at)
    WHERE confirmed_at IS NULL AND closed_at IS NULL;

  -- Recipients whose part was given back: once each, whoever asks and however often.
  CREATE TABLE quota_released (
    organization_id text COLLATE "C" NOT NULL,
    job_id text COLLATE "C" NOT NULL,
    recipient_index integer NOT NULL,
    PRIMARY KEY (organization_id, job_id, recipient_index)
  );
`;

/** Takes `reservationTables` back. */
export const reservationTablesReversal = 'DROP TABLE quota_released, quota_reservation';

/**
 * The functions of reservations.
 *
 * - `quota_counted`: what counts is every outbound message of no job, and of each job what it has set apart in the month less
 *   what was given back, whether or not its messages are made by now.
 * - `release_quota`: gives parts of recipients back, each once, of jobs that have a reservation; not of those that have
 *   begun. Rows in the order of their keys; counters last, as everywhere.
 */
export const reservationFunctions = `
  CREATE OR REPLACE FUNCTION quota_counted(organization text, of_month text)
  RETURNS bigint LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT (SELECT count(*) FROM message m
      WHERE m.organization_id = organization
        AND m.id >= cuid_floor((of_month || '-01')::timestamp AT TIME ZONE 'UTC')
        AND m.id < cuid_floor(((of_month || '-01')::timestamp + interval '1 month') AT TIME ZONE 'UTC')
        AND m.direction = 'OUTBOUND' AND m.job_id IS NULL)
      + (SELECT coalesce(sum(r.count - r.released), 0) FROM quota_reservation r
      WHERE r.organization_id = organization AND r.month = of_month)
  $$;

  CREATE FUNCTION release_quota(organizations text[], jobs text[], indexes integer[])
  RETURNS bigint LANGUAGE sql SET search_path FROM CURRENT AS $$
    WITH given AS (
      SELECT DISTINCT * FROM unnest(organizations, jobs, indexes) AS g(organization_id, job_id, recipient_index)
    ), mine AS (
      INSERT INTO quota_released (organization_id, job_id, recipient_index)
      SELECT g.organization_id, g.job_id, g.recipient_index
      FROM given g
      JOIN quota_reservation r ON r.organization_id = g.organization_id AND r.job_id = g.job_id AND r.closed_at IS NULL
      WHERE NOT EXISTS (SELECT FROM bulk_item i WHERE i.organization_id = g.organization_id AND i.job_id = g.job_id
        AND i.recipient_index = g.recipient_index AND i.state = 'BEGUN')
      ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING
      RETURNING organization_id, job_id
    ), counted AS (
      SELECT organization_id, job_id, count(*)::int AS count FROM mine GROUP BY 1, 2 ORDER BY 1, 2
    ), reservations AS (
      UPDATE quota_reservation r SET released = r.released + c.count
      FROM counted c WHERE r.organization_id = c.organization_id AND r.job_id = c.job_id
      RETURNING r.organization_id, r.month, c.count
    ), counters AS (
      UPDATE quota q SET used = q.used - s.count
      FROM (SELECT organization_id, month, sum(count) AS count FROM reservations GROUP BY 1, 2 ORDER BY 1, 2) AS s
      WHERE q.organization_id = s.organization_id AND q.month = s.month
      RETURNING s.count
    )
    SELECT coalesce(sum(count), 0)::bigint FROM counters
  $$;
`;

/** Takes `reservationFunctions` back, but for `quota_counted`, which goes back to what it was. */
export const reservationFunctionsReversal = 'DROP FUNCTION release_quota(text[], text[], integer[])';
