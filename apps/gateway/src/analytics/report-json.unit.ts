import { describe, expect, it } from '@jest/globals';
import { jsonOf } from './report-json.policy.js';

const figures = { sent: 2, secondsToRead: { p50: null, p95: 1.5 }, failuresByCode: [{ code: 'a "b"\n', count: 2 }] };

describe('a report as JSON', () => {
  it('is what JSON.stringify makes of it', async () => {
    for (const report of [
      {
        from: '2026-03-01',
        totals: figures,
        series: [{ start: 'é🛒', ...figures }, { start: 'b' }],
        quota: { left: 1 },
      },
      { totals: { templates: [] }, series: [], left: undefined },
      { series: [[1, null], [], {}], nested: { deep: { list: [true, { list: [false] }] } } },
      {},
    ]) {
      expect(await jsonOf(report)).toBe(JSON.stringify(report));
    }
  });

  it('is written in slices, as one point with many parts as well as many points: other requests have their turn', async () => {
    const parts = Array.from({ length: 10_000 }, (_none, index) => ({ templateId: index, sent: 1 }));
    for (const series of [parts, [{ start: 'now', templates: parts }]]) {
      let turns = 0;
      const count = (): void => {
        turns++;
        turn = setImmediate(count);
      };
      let turn = setImmediate(count);
      const json = await jsonOf({ series });
      clearImmediate(turn);
      expect(json).toBe(JSON.stringify({ series }));
      expect(turns).toBeGreaterThanOrEqual(10);
    }
  });
});
