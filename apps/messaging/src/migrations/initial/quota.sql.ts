/**
 * How many messages of a month each organization has used. Source: docs/adr/0014-quota.md
 *
 * A row changes with every batch of an organization and no index holds what changes: room on the page keeps that short.
 */
export const quotaTable = `
  CREATE TABLE quota (
    organization_id text COLLATE "C" NOT NULL,
    -- YYYY-MM in UTC, of the messages' ids.
    month text COLLATE "C" NOT NULL CHECK (month ~ '^[0-9]{4}-[0-9]{2}$'),
    used bigint NOT NULL CHECK (used >= 0),
    PRIMARY KEY (organization_id, month)
  ) WITH (fillfactor = 50);
`;

/** Takes `quotaTable` back. */
export const quotaTableReversal = 'DROP TABLE quota';

/**
 * The functions of the quota.
 *
 * - `take_quota`: its callers have looked before without a lock and dealt what was left; here, right before COMMIT, it is
 *   found out whether that still holds. Rows in the order of their key, so that no two transactions wait for each other.
 *   QT001 rolls back.
 * - `quota_counted`: the definition of what counts, which counters are held to: every outbound message. By the key, in the
 *   partitions of the month.
 */
export const quotaFunctions = `
  CREATE OR REPLACE FUNCTION take_quota(organizations text[], months text[], messages integer[], used_before_max bigint[])
  RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  DECLARE
    has_moved boolean;
  BEGIN
    WITH asked AS (
      SELECT * FROM unnest(organizations, months, messages, used_before_max)
        AS a(organization_id, month, count, before_max)
    ), taken AS (
      INSERT INTO quota AS q (organization_id, month, used)
      SELECT organization_id, month, count FROM asked ORDER BY 1, 2
      ON CONFLICT (organization_id, month) DO UPDATE SET used = q.used + excluded.used
      RETURNING q.organization_id, q.month, q.used
    )
    SELECT bool_or(taken.used - asked.count > asked.before_max) INTO has_moved
    FROM taken JOIN asked USING (organization_id, month);
    IF has_moved THEN
      RAISE EXCEPTION 'more of a quota was used meanwhile' USING ERRCODE = 'QT001';
    END IF;
  END $$;

  CREATE OR REPLACE FUNCTION quota_counted(organization text, of_month text)
  RETURNS bigint LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT count(*) FROM message m
    WHERE m.organization_id = organization
      AND m.id >= cuid_floor((of_month || '-01')::timestamp AT TIME ZONE 'UTC')
      AND m.id < cuid_floor(((of_month || '-01')::timestamp + interval '1 month') AT TIME ZONE 'UTC')
      AND m.direction = 'OUTBOUND'
  $$;
`;

/** Takes `quotaFunctions` back. */
export const quotaFunctionsReversal = `
  DROP FUNCTION quota_counted(text, text), take_quota(text[], text[], integer[], bigint[]);
`;
