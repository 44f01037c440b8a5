import { describe, expect, it } from '@jest/globals';
import { blocksOf, literal, nodesOf, planOf, preparedStatements, testServers } from '@switchboard/testing';
import { analyticsMigrations } from '../migrations/all.js';
import { RollupRepository } from './rollup.repository.js';
import { composed } from './segments.policy.js';

const servers = testServers();

describe('reading counts', () => {
  it('looks up the reports and times that are asked for, with statistics or without', async () => {
    const prepared = await servers.serviceDatabase('analytics', analyticsMigrations);
    const { dataSource } = await prepared.superuser();
    for (const statistics of ['', 'VACUUM ANALYZE analytics.rollup']) {
      if (statistics) {
        await dataSource.query(
          `INSERT INTO analytics.rollup
           SELECT 'o', report, 60, timestamptz '2026-03-01 00:00Z' + make_interval(hours => h), 'l' || l, '{sent}', '{1}'
           FROM unnest('{messages,failures,requests,templates}'::text[]) AS report, generate_series(0, 99) AS h,
             generate_series(1, 10) AS l`,
        );
        await dataSource.query(statistics);
      }
      const database = await prepared.database({ poolMax: 1 });
      const bounds = ['2026-03-02T01:00:00Z', '2026-03-02T02:00:00Z', '2026-03-02T03:00:00Z'].map((at) => new Date(at));
      const query = { organizationId: 'o', reports: ['messages', 'failures'] as const, bounds, channelId: null };
      const rows = await new RollupRepository(database).read(query);
      expect(rows.length).toBe(statistics ? 2 * 2 * 10 : 0);
      const read = (await preparedStatements(database)).find(({ name }) => name === 'analytics.rollup.read');
      if (!read) throw new Error('the statement was not prepared');
      const looks = nodesOf(await planOf(database, read)).filter((node) => node['Relation Name'] === 'rollup');
      expect(looks.map((node) => node['Index Cond'])).toEqual([
        expect.stringMatching(/organization_id = .*report = asked\.report.*grain = span\.grain.*bucket >= .*bucket < /),
        expect.stringMatching(
          /organization_id = .*report = asked\.report.*grain = segment\.grain.*bucket >= .*bucket < /,
        ),
      ]);
    }
  });

  it('asks for none of the quarters of a month when nothing was counted in it', async () => {
    const prepared = await servers.serviceDatabase('analytics', analyticsMigrations);
    const { dataSource } = await prepared.superuser();
    // The organization asked for has counts of the year before alone, another one those of the month.
    await dataSource.query(
      `INSERT INTO analytics.rollup
       SELECT o, 'messages', 15, timestamptz '2026-03-01 00:00Z' + make_interval(hours => h) - make_interval(years => ago), 'l',
         '{sent}', '{1}' FROM (VALUES ('o', 1), ('p', 0)) AS given(o, ago), generate_series(0, 719) AS h`,
    );
    const database = await prepared.database({ poolMax: 1 });
    const firstMs = Date.parse('2026-03-01T00:15:00Z');
    const bounds = Array.from({ length: 721 }, (_none, n) => new Date(firstMs + n * 3_600_000));
    const reports = ['messages', 'failures'] as const;
    const read = async (organizationId: string): Promise<number> =>
      (await new RollupRepository(database).read({ organizationId, reports, bounds, channelId: null })).length;
    expect(await read('p')).toBe(720);
    expect(await read('o')).toBe(0);
    const ran = (await preparedStatements(database)).find(({ name }) => name === 'analytics.rollup.read');
    if (!ran) throw new Error('the statement was not prepared');
    const { segments } = composed(bounds);
    const values = [
      'o',
      reports,
      segments.map(({ grain }) => grain),
      segments.map(({ from }) => from),
      segments.map(({ to }) => to),
      null,
    ].map(literal);
    expect(blocksOf(await planOf(database, ran, { values, analyze: true }))).toBeLessThan(50);
  });
});
