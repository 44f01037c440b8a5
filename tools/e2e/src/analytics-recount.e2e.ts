import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DeliveryReport, TemplateReport, UsageReport } from '@switchboard/contracts/analytics/http';
import { eventually } from '@switchboard/testing/eventually';
import type { RunningStack } from '@switchboard/dev';
import type { Api } from './api.js';
import { operator } from './operator.js';
import { StackDatabase } from './stack-database.js';
import { usable, type UsableStack } from './start-everything.js';
import { startOwnStack } from './start-own-stack.js';

const template = { name: 'welcome', language: 'en_US' };
const SOON = { deadlineMs: 90_000 };
const KNOBS = { duplicateRate: 0.3, reorder: true, callbackDelayMs: { sent: 20, delivered: 60, read: 90 } };
const phones = Array.from({ length: 24 }, (_none, index) => `+1415${5_200_100 + index}`);

describe('figures, compared with the messages by SQL of their own', () => {
  let stack: RunningStack;
  let dataDir: string;
  let all: UsableStack;
  let acme: Api;
  let database: StackDatabase;
  let since: string;

  beforeAll(async () => {
    since = new Date().toISOString();
    ({ stack, dataDir } = await startOwnStack({ replicas: { analytics: 2 } }));
    all = usable(stack.devJson);
    ({ acme } = all);
    database = await StackDatabase.open(stack);
  });

  afterAll(async () => {
    await database?.close();
    await stack?.destroy();
  });

  const admin = (line: string): Promise<string> => operator(dataDir, line);
  const agrees = (): Promise<string> => eventually(() => admin('analytics check'), SOON);
  const report = async <Report>(name: string): Promise<Report> =>
    (await acme.get(`/v1/analytics/${name}`)).body as unknown as Report;
  const killOne = async (name: string): Promise<void> => {
    const replica = stack.process(name);
    await replica.kill('SIGKILL');
    await replica.restarted();
  };
  const replay = (): Promise<string> => admin(`outbox replay --service messaging --since ${since}`);
  const bulk = (recipients: readonly string[]): Promise<unknown> =>
    eventually(async () => {
      const body = JSON.stringify({ template, recipients: recipients.map((to) => ({ to })) });
      return (await acme.ask('POST', '/v1/templates/send', body)).status === 202;
    }, SOON);

  it('are the same after duplicates, reversals, kills of both replicas and a replay of everything', async () => {
    await all.simulator.post('knobs', KNOBS);
    const storm = async (): Promise<void> => {
      await bulk(phones);
      await Promise.all(phones.map((to) => acme.send(to, 'hello')));
      await Promise.all(
        ['+12015550100', '+12015550110', '+12015550111', '+12015550112'].map((to) => acme.send(to, 'no')),
      );
      for (const from of phones.slice(0, 6)) await all.simulator.post('inbound', { from: from.slice(1), text: 'hi' });
      await acme.ask('POST', '/v1/opt-outs', JSON.stringify({ phone: phones[7] }));
      await bulk(phones.slice(0, 3));
    };
    await Promise.all([storm(), killOne('analytics'), killOne('analytics-2')]);
    await Promise.all([replay(), killOne('analytics')]);
    // All of it has happened: else the comparison would be of nothing.
    const templates = await eventually(async () => {
      const { totals } = await report<TemplateReport>('templates');
      return totals.sent >= phones.length && totals.replied > 0 && totals.optedOut > 0 ? totals : undefined;
    }, SOON);
    expect(templates.templates).toEqual([expect.objectContaining(template)]);
    expect(await agrees()).toMatch(/agree with the messages/);
  });

  it('that were changed are named, and are right again after a rebuild', async () => {
    const before = [await report<DeliveryReport>('delivery'), await report<TemplateReport>('templates')].map(
      ({ totals }) => totals,
    );
    await database.query(
      `UPDATE analytics.rollup SET counts = ARRAY(SELECT count + CASE key WHEN 'sent' THEN 2 ELSE 0 END
         FROM unnest(keys, counts) WITH ORDINALITY AS one(key, count, place) ORDER BY place)
       WHERE 'sent' = ANY(keys) AND grain = 60`,
    );
    await database.query(`DELETE FROM analytics.message_fact WHERE NOT is_inbound`);
    const [{ bucket } = { bucket: new Date(0) }] = await database.query<{ bucket: Date }>(
      `SELECT bucket FROM analytics.rollup WHERE 'sent' = ANY(keys) AND grain = 60 LIMIT 1`,
    );
    await expect(admin('analytics check')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`${bucket.toISOString()}[^\n]*sent[\\s\\S]*differ from the messages`)),
    });
    // Next to the traffic, and killed meanwhile: another process goes on from there.
    const [said] = await Promise.all([
      admin('analytics rebuild'),
      killOne('analytics'),
      acme.send(phones[9], 'still here'),
    ]);
    expect(said).toMatch(
      /(\d+) of \1 organizations, \d+ messages read, [1-9]\d* facts and [1-9]\d* counts corrected\n$/,
    );
    expect(await agrees()).toMatch(/agree/);
    const [delivery] = before;
    expect((await report<DeliveryReport>('delivery')).totals.failed).toBe(
      (delivery as DeliveryReport['totals']).failed,
    );
  });

  it('are whole where a report is larger than a message of the broker', async () => {
    const [, globex] = stack.devJson.organizations ?? [];
    const counts = `organization_id = '${globex?.id}' AND report <> 'messages'`;
    // Every hour of 30 days: 20 templates, and 12 endpoints with two classes of status.
    await database.query(
      `INSERT INTO analytics.rollup (organization_id, report, grain, bucket, channel_id, keys, counts)
       SELECT $1, kind.report, 60, hour, '', array_agg(kind.key), array_agg(1)
       FROM generate_series(timestamptz '2026-03-01Z', timestamptz '2026-03-30 23:00Z', interval '1 hour') AS hour,
         (SELECT 'templates', 'c' || lpad(n::text, 24, '0') || ':sent' FROM generate_series(1, 20) AS n
          UNION ALL SELECT 'requests', class || ' GET /v1/endpoint' || n
          FROM generate_series(1, 12) AS n, unnest(ARRAY['2xx', '4xx']) AS class) AS kind(report, key)
       GROUP BY 2, 4`,
      [globex?.id],
    );
    try {
      const query = '?from=2026-03-01&to=2026-03-30&granularity=hour';
      const templates = (await all.globex.get(`/v1/analytics/templates${query}`)).body as unknown as TemplateReport;
      expect([templates.totals.sent, templates.series.length]).toEqual([720 * 20, 720]);
      expect(templates.series.every(({ sent, templates: uses }) => sent === 20 && uses.length === 20)).toBe(true);
      const usage = (await all.globex.get(`/v1/analytics/usage${query}`)).body as unknown as UsageReport;
      expect([usage.totals.requests, usage.totals.requestsByEndpoint.length]).toEqual([720 * 24, 24]);
    } finally {
      await database.query(`DELETE FROM analytics.rollup WHERE ${counts}`);
    }
  });

  it('are all there again from nothing, and what has no other source stays', async () => {
    await database.query('TRUNCATE analytics.message_fact');
    await database.query(`DELETE FROM analytics.rollup WHERE report <> 'requests'`);
    await admin('analytics rebuild');
    expect(await agrees()).toMatch(/agree/);
    expect((await report<UsageReport>('usage')).totals.messagesOut).toBeGreaterThan(phones.length);
    // What a reader that was killed had taken comes again after half a minute.
    await eventually(async () => (await report<UsageReport>('usage')).totals.requests > phones.length, SOON);
    await expect(admin('analytics rebuild cnobody')).rejects.toMatchObject({ code: 1 });
  });
});
