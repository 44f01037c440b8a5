import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What each organization has used of its messages of a month. Source: docs/adr/0014-quota.md
 *
 * Messages that are stored already are counted, those of the current month and the two beside it. What replicas of the release
 * before accept while they are being replaced is not: `npm run admin -- quota check --repair` afterwards counts that too.
 *
 * Lock: none on tables that exist; messages of these months are read once. Reversal: forgets the counters.
 */
export class Quota1764000003000 implements MigrationInterface {
  name = 'Quota1764000003000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE);
    await runner.query(TAKE);
    await runner.query(COUNTED);
    await runner.query(COUNT_WHAT_IS_STORED);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION quota_counted(text, text);
      DROP FUNCTION take_quota(text[], text[], integer[], bigint[]);
      DROP TABLE quota;
    `);
  }
}

/** A row changes with every batch of an organization and no index holds what changes: room on the page keeps that short. */
const TABLE = `
  CREATE TABLE quota (
    organization_id text COLLATE "C" NOT NULL,
    -- YYYY-MM in UTC, of the messages' ids.
    month text COLLATE "C" NOT NULL CHECK (month ~ '^[0-9]{4}-[0-9]{2}$'),
    used bigint NOT NULL CHECK (used >= 0),
    PRIMARY KEY (organization_id, month)
  ) WITH (fillfactor = 50);
`;

/**
 * Its callers have looked before without a lock and dealt what was left; here, right before COMMIT, it is found out whether
 * that still holds. Rows in the order of their key, so that no two transactions wait for each other. QT001 rolls back.
 */
const TAKE = `
  CREATE FUNCTION take_quota(organizations text[], months text[], messages integer[], used_before_max bigint[])
  RETURNS void LANGUAGE plpgsql SET search_path = messaging, pg_temp AS $$
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
`;

/** The definition of what counts, until `quota-counts-all.ts`: counters are held to it. By the key, in its partitions. */
const COUNTED = `
  CREATE FUNCTION quota_counted(organization text, of_month text)
  RETURNS bigint LANGUAGE sql STABLE SET search_path = messaging, pg_temp AS $$
    SELECT count(*) FROM message m
    WHERE m.organization_id = organization
      AND m.id >= cuid_floor((of_month || '-01')::timestamp AT TIME ZONE 'UTC')
      AND m.id < cuid_floor(((of_month || '-01')::timestamp + interval '1 month') AT TIME ZONE 'UTC')
      AND m.direction = 'OUTBOUND'
      AND (m.status <> 'FAILED' OR m.sent_at IS NOT NULL OR m.error_code = 'UPSTREAM_OUTCOME_UNKNOWN')
  $$;
`;

/** Who has sent has a channel. The month to come may have messages already, of a gateway whose clock is ahead. */
const COUNT_WHAT_IS_STORED = `
  INSERT INTO quota (organization_id, month, used)
  SELECT o.organization_id, m.month, quota_counted(o.organization_id, m.month)
  FROM (SELECT DISTINCT organization_id FROM channel) AS o
  CROSS JOIN (SELECT to_char((now() AT TIME ZONE 'UTC') - make_interval(months => ago), 'YYYY-MM') AS month
    FROM generate_series(-1, 1) AS ago) AS m
`;
