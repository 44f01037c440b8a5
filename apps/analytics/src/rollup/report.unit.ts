import { describe, expect, it } from '@jest/globals';
import type { ReportRequest } from '@switchboard/contracts/analytics/rpc';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { boundedFigures, reportOf } from './report.policy.js';

const HOUR_MS = 3_600_000;
const request: ReportRequest = { from: null, to: null, granularity: 'hour', timezone: 'UTC', messagingChannelId: null };

describe('a report whose points list what there is any number of', () => {
  const report = (points: number, listed: number, answerBytesMax: number): object => {
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

  it('is no larger than an answer may be, or is refused with the bound', () => {
    const bytes = Buffer.byteLength(JSON.stringify({ result: report(100, 50, Infinity) }));
    expect(report(100, 50, bytes + 5_000)).toMatchObject({ granularity: 'hour' });
    for (const bytesMax of [bytes - 1, bytes / 2]) {
      expect(() => report(100, 50, bytesMax)).toThrow(
        expect.objectContaining({
          definition: serviceErrors.VALIDATION_FAILED,
          message: expect.stringContaining('32 MiB'),
        }),
      );
    }
    // Each answer counts from the beginning.
    expect(report(100, 50, bytes + 5_000)).toMatchObject({ granularity: 'hour' });
  });
});
