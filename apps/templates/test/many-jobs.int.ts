import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '@switchboard/postgres';
import { blocksOf, nodesOf, planOf, preparedStatements, testServers, type PlanNode } from '@switchboard/testing';
import { completeButActive } from '../src/complete-jobs/complete-jobs.js';
import { takeFeeds } from '../src/feed-jobs/job-feed.repository.js';
import { templatesMigrations } from '../src/migrations/all.js';
import { changedCauses, type ChangedCause } from '../src/watch-causes/changed-causes.repository.js';

const servers = testServers();
const JOBS = 5_000;
const MONTH = `to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM')`;
/** The causes of each job by itself. */
const ONE_BY_ONE = `
  SELECT "organizationId", "jobId", reason, begins FROM (
  SELECT j.organization_id AS "organizationId", j.id AS "jobId", c.reason, c.is_there AS begins,
    row_number() OVER (PARTITION BY j.organization_id ORDER BY c.is_there DESC, j.id, c.reason) AS turn
  FROM templates.job j
  JOIN templates.template t ON t.organization_id = j.organization_id AND t.id = j.template_id
  LEFT JOIN templates.channel l ON l.organization_id = j.organization_id AND l.id = j.channel_id
  LEFT JOIN templates.organization o ON o.organization_id = j.organization_id
  CROSS JOIN LATERAL (VALUES
    ('TEMPLATE_NOT_APPROVED', t.status <> 'APPROVED', t.updated_at > j.held_at),
    ('CHANNEL_DISCONNECTED', coalesce(l.status = 'DISCONNECTED', false), l.last_event_id > templates.cuid_floor(j.held_at)),
    ('SUBSCRIPTION', coalesce(o.subscription <> 'ACTIVE', false), true),
    ('QUOTA', coalesce(o.is_over_quota AND j.quota_month = ${MONTH}, false), true)
  ) AS c (reason, is_there, is_newer)
  WHERE j.state = 'ACTIVE' AND c.is_there <> (c.reason = ANY (j.holds))
    AND (c.is_there OR c.is_newer OR j.held_at < now() - least(greatest(interval '60 s', j.held_at - j.started_at), interval '600 s'))
    AND (c.reason <> 'QUOTA' OR c.is_there OR o.is_over_quota IS NOT NULL OR j.quota_month < ${MONTH})
  ) AS turns ORDER BY turn, "organizationId"`;

describe('many active jobs', () => {
  let database: Database;
  let run: <Row>(sql: string) => Promise<Row[]>;

  beforeEach(async () => {
    const prepared = await servers.serviceDatabase('templates', templatesMigrations);
    database = await prepared.database({ poolMax: 1 });
    const { dataSource } = await prepared.superuser();
    run = (sql) => dataSource.query(sql);
    // Planned for empty tables, as by a service that was there before its jobs.
    await changedCauses(database, 1);
    await completeButActive(database, 1);
    await run(`
      INSERT INTO templates.template (organization_id, id, business_account_id, name, language, status, status_at,
        upstream_template_id, category, parameter_format, components, search_name, updated_at)
      SELECT 'o' || o, 't' || t, '1022', 'offer' || t, 'en_US', 'APPROVED', now(), 'u', 'MARKETING', 'POSITIONAL', '[]', 'OFFER',
        now() - make_interval(secs => 150 * t) FROM generate_series(0, 4) AS o, generate_series(0, 3) AS t`);
    await run(`
      INSERT INTO templates.channel (organization_id, id, business_account_id, phone, status, is_default, default_region, last_event_id)
      SELECT 'o' || o, 'l' || l, '1022', '+1', 'CONNECTED', false, 'US', templates.cuid_floor(now() - make_interval(secs => 170 * l))
      FROM generate_series(0, 4) AS o, generate_series(0, 2) AS l`);
    await run(`
      INSERT INTO templates.job (organization_id, id, template_id, channel_id, total, reserved, quota_month, scheduled_at)
      SELECT 'o' || n % 5, 'j' || lpad(n::text, 5, '0'), 't' || n / 5 % 4, 'l' || n / 20 % 3, 1, 1, ${MONTH}, now() + interval '1 hour'
      FROM generate_series(1, ${JOBS}) AS n`);
    await run(`INSERT INTO templates.job_feed SELECT organization_id, id, 0, 0, scheduled_at FROM templates.job`);
    await run(`
      INSERT INTO templates.job_count SELECT organization_id, id, 0, 1, 0, 0, 0, 0, 0, 0 FROM templates.job`);
  });

  it('that wait for their time cost what their templates and channels do, and their feeds are not read', async () => {
    for (const analyze of ['', 'VACUUM ANALYZE']) {
      if (analyze) await run(analyze);
      expect(blocksOf(await explained('templates.job.changed-causes', ['100', `'{}'`]))).toBeLessThan(JOBS / 2);
      const handedOver = await explained('templates.job.handed-over', ['100']);
      expect(nodesOf(handedOver).map((node) => node['Relation Name'])).not.toContain('job_feed');
    }
  });

  it('that are due and were handed over are found, one that was scheduled too', async () => {
    await run(`UPDATE templates.job SET scheduled_at = now() - interval '1 s' WHERE id = 'j00007'`);
    await run(`UPDATE templates.job SET scheduled_at = NULL WHERE id = 'j00008'`);
    await run(`UPDATE templates.job_feed SET fed_to = 1, due_at = NULL WHERE job_id IN ('j00007', 'j00008', 'j00009')`);
    await run(`UPDATE templates.job_count SET queued = 0, sent = 1`);
    const found = (await completeButActive(database, 10)).map(({ jobId }) => jobId);
    expect(found.toSorted()).toEqual(['j00007', 'j00008']);
  });

  it('that are due leave the jobs of other organizations their turns, however many they are', async () => {
    const ago = (where: string, by: string) =>
      run(`UPDATE templates.job_feed SET due_at = now() - interval '${by}' WHERE ${where}`);
    await run(`DELETE FROM templates.job_feed WHERE job_id > 'j01500' AND organization_id IN ('o1', 'o2', 'o3', 'o4')`);
    await run(`UPDATE templates.job SET organization_id = 'o0' WHERE organization_id IN ('o1', 'o2')`);
    await run(`UPDATE templates.job_feed SET organization_id = 'o0' WHERE organization_id IN ('o1', 'o2')`);
    await ago(`organization_id = 'o0'`, '3 minutes');
    await ago(`organization_id = 'o3'`, '2 minutes');
    await ago(`organization_id = 'o4'`, '1 minute');
    const taken = await takeFeeds(database, 4);
    expect(taken.map(({ organizationId }) => organizationId).toSorted()).toEqual(['o0', 'o0', 'o3', 'o4']);
  });

  it('have the causes that each of them has by itself', async () => {
    await run(
      `UPDATE templates.template SET status = 'PAUSED' WHERE id = 't1' OR (organization_id, id) = ('o2', 't3')`,
    );
    await run(`UPDATE templates.channel SET status = 'DISCONNECTED' WHERE id = 'l2'`);
    await run(`
      INSERT INTO templates.organization (organization_id, subscription, messages_per_month, last_event_id, is_over_quota)
      VALUES ('o0', 'ACTIVE', 9, 'c', true), ('o1', 'PAST_DUE', 9, 'c', false), ('o2', 'ACTIVE', 9, 'c', NULL),
        ('o3', 'ACTIVE', 9, 'c', false)`);
    // Ages are odd halves of a minute, so that no bound falls between the two looks.
    await run(`
      UPDATE templates.job SET holds = (ARRAY['{}', '{QUOTA}', '{TEMPLATE_NOT_APPROVED,SUBSCRIPTION}', '{CHANNEL_DISCONNECTED}',
          '{QUOTA,CHANNEL_DISCONNECTED,TEMPLATE_NOT_APPROVED}'])[1 + substr(id, 2)::int % 17 % 5]::text[],
        held_at = now() - make_interval(secs => 30 + 60 * (substr(id, 2)::int % 13)),
        started_at = CASE WHEN substr(id, 2)::int % 3 > 0 THEN now() - make_interval(secs => 45 + 60 * (substr(id, 2)::int % 31)) END,
        quota_month = CASE WHEN substr(id, 2)::int % 7 = 0 THEN '2020-01' ELSE quota_month END,
        state = CASE WHEN substr(id, 2)::int % 11 = 0 THEN 'CANCELED' ELSE 'ACTIVE' END`);
    const expected = await run<ChangedCause>(ONE_BY_ONE);
    const kinds = new Set(expected.map(({ reason, begins }) => `${reason} ${begins}`));
    expect(kinds.size).toBe(8);
    const found = await changedCauses(database, 100_000);
    expect(found.map(textOf).toSorted()).toEqual(expected.map(textOf).toSorted());
    const first = await changedCauses(database, 500);
    expect(first.map(({ jobId, begins }) => [jobId, begins])).toEqual(
      expected.slice(0, 500).map(({ jobId, begins }) => [jobId, begins]),
    );
    const without = await changedCauses(database, 100_000, ['o0', 'o1']);
    const rest = expected.filter(({ organizationId }) => !['o0', 'o1'].includes(organizationId));
    expect(without.map(textOf).toSorted()).toEqual(rest.map(textOf).toSorted());
  });

  async function explained(name: string, values: readonly string[]): Promise<PlanNode> {
    const found = (await preparedStatements(database)).find((one) => one.name === name);
    if (!found) throw new Error(`${name} was not prepared`);
    return planOf(database, found, { values, analyze: true });
  }
});

function textOf(row: object): string {
  return JSON.stringify(Object.entries(row).toSorted());
}
