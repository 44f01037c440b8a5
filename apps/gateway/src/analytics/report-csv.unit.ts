import { describe, expect, it } from '@jest/globals';
import { csvOf } from './report-csv.policy.js';

describe('a report as CSV', () => {
  it('has a row for each point and each part of it, with the figures within others in columns of their own', async () => {
    const series = [
      {
        start: '2026-03-01T00:00:00.000Z',
        sent: 2,
        secondsToRead: { p50: null, p95: 1.5 },
        failuresByCode: [{ code: '131026', count: 2 }],
      },
    ];
    expect((await csvOf({ series })).split('\r\n')).toEqual([
      'start,of,sent,secondsToRead.p50,secondsToRead.p95,code,count',
      '2026-03-01T00:00:00.000Z,,2,,1.5,,',
      '2026-03-01T00:00:00.000Z,failuresByCode,,,,131026,2',
      '',
    ]);
  });

  it('quotes what separates cells, and lets no spreadsheet take a name for a formula', async () => {
    const series = [{ start: 'now', templates: [{ name: '=1+1' }, { name: 'a,"b"\n' }] }];
    expect(await csvOf({ series })).toBe(
      `start,of,name\r\nnow,,\r\nnow,templates,'=1+1\r\nnow,templates,"a,""b""\n"\r\n`,
    );
  });

  it('is written in slices: other requests have their turn', async () => {
    const series = Array.from({ length: 10_000 }, () => ({ start: 'now', sent: 1 }));
    let turns = 0;
    const count = (): void => {
      turns++;
      turn = setImmediate(count);
    };
    let turn = setImmediate(count);
    const csv = await csvOf({ series });
    clearImmediate(turn);
    expect(csv.length).toBe('start,of,sent\r\n'.length + 'now,,1\r\n'.length * series.length);
    expect(turns).toBeGreaterThanOrEqual(10);
  });
});
