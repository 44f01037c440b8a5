import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Every outbound message counts, what the upstream refused too: it was given back before. Source: docs/adr/0014-quota.md
 *
 * The counters of the current month and the two beside it are counted anew. Replicas of the release before still give back
 * while they are being replaced: `npm run admin -- quota check --repair` afterwards counts that too.
 *
 * Lock: the counters of these months, while their messages are read (about a second for a million): sends wait with their
 * COMMIT. Reversal: the definition as it was, and its count.
 */
export class QuotaCountsAll1764000009000 implements MigrationInterface {
  name = 'QuotaCountsAll1764000009000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(counted(''));
    await countAnew(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      counted("AND (m.status <> 'FAILED' OR m.sent_at IS NOT NULL OR m.error_code = 'UPSTREAM_OUTCOME_UNKNOWN')"),
    );
    await countAnew(runner);
  }
}

/**
 * The definition of what counts, which counters are held to. By the key, in the partitions of the month.
 *
 * @param butThese a condition on those that count
 */
function counted(butThese: string): string {
  return `
    CREATE OR REPLACE FUNCTION quota_counted(organization text, of_month text)
    RETURNS bigint LANGUAGE sql STABLE SET search_path = messaging, pg_temp AS $$
      SELECT count(*) FROM message m
      WHERE m.organization_id = organization
        AND m.id >= cuid_floor((of_month || '-01')::timestamp AT TIME ZONE 'UTC')
        AND m.id < cuid_floor(((of_month || '-01')::timestamp + interval '1 month') AT TIME ZONE 'UTC')
        AND m.direction = 'OUTBOUND' ${butThese}
    $$;
  `;
}

const COUNTERS = `
  SELECT organization_id, month FROM quota
  WHERE month >= to_char((now() AT TIME ZONE 'UTC') - interval '1 month', 'YYYY-MM')
  ORDER BY 1, 2 FOR UPDATE
`;

/**
 * Locked in the order in which `take_quota` locks; the count is a statement of its own, so that it sees all that was
 * committed until the locks were had. Whoever has sent has a counter: none is made here.
 */
async function countAnew(runner: QueryRunner): Promise<void> {
  await runner.query(COUNTERS);
  await runner.query(`
    UPDATE quota q SET used = quota_counted(q.organization_id, q.month)
    WHERE month >= to_char((now() AT TIME ZONE 'UTC') - interval '1 month', 'YYYY-MM')
  `);
}
