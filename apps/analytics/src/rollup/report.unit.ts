import { describe, expect, it } from '@jest/globals';
import type { ReportRequest } from '@switchboard/contracts/analytics/rpc';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { boundedFigures, reportOf } from './report.policy.js';
import type { RollupRow } from './rollup.repository.js';

const HOUR_MS = 3_600_000;
const request: ReportRequest = { from: null, to: null, granularity: 'hour', timezone: 'UTC', messagingChannelId: null };

describe('a report whose points list what there is any number of', () => {
  const report = (points: number, listed: number, answerBytesMax: number): Promise<object> => {
    const bounds = Array.from({ length: points + 1 }, (_none, hour) => new Date(hour * HOUR_MS));
    const range = { bounds, from: new Date(0), to: new Date(points * HOUR_MS) };
    const figures = { templates: Array.from({ length: listed }, (_none, n) => ({ name: `ä${n}`, sent: n })) };
    return reportOf(
      request,
      range,
      [],
      boundedFigures(() => figures, answerBytesMax),
    );
  };

  it('is no larger than an answer may be, or is refused with the bound', async () => {
    const bytes = Buffer.byteLength(JSON.stringify({ result: await report(100, 50, Infinity) }));
    expect(await report(100, 50, bytes + 5_000)).toMatchObject({ granularity: 'hour' });
    for (const bytesMax of [bytes - 1, bytes / 2]) {
      await expect(report(100, 50, bytesMax)).rejects.toThrow(
        expect.objectContaining({
          definition: serviceErrors.VALIDATION_FAILED,
          message: expect.stringContaining('32 MiB'),
        }),
      );
    }
    // Each answer counts from the beginning.
    expect(await report(100, 50, bytes + 5_000)).toMatchObject({ granularity: 'hour' });
  });
});

describe('a report of many points', () => {
  it('lets others have their turn while it is made', async () => {
    const points = 720;
    const bounds = Array.from({ length: points + 1 }, (_none, hour) => new Date(hour * HOUR_MS));
    const range = { bounds, from: new Date(0), to: new Date(points * HOUR_MS) };
    const rows = Array.from({ length: points }, (_none, point): RollupRow => {
      return { uses: [{ point, by: 1 }], report: 'templates', keys: 't:sent', counts: '{1}' };
    });
    let turns = 0;
    let isMade = false;
    const takeTurns = (): void => {
      turns += 1;
      if (!isMade) setImmediate(takeTurns);
    };
    setImmediate(takeTurns);
    const report = await reportOf(request, range, rows, (counts) => ({
      sent: counts.of('templates').get('t:sent') ?? 0,
    }));
    isMade = true;
    expect(report.totals).toEqual({ sent: points });
    expect(report.series).toHaveLength(points);
    expect(report.series.every(({ sent }) => sent === 1)).toBe(true);
    expect(turns).toBeGreaterThan(points / 10);
  });
});
