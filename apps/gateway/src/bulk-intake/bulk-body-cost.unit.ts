import { describe, expect, it } from '@jest/globals';
import { BulkBody, type BulkBodyEnd } from './bulk-body.js';

const to = '+14155550123';

function readText(text: string): BulkBodyEnd {
  const body = new BulkBody();
  body.push(Buffer.from(text));
  return body.end();
}

describe('recipients', () => {
  it('that are faulty are named in some hundred characters, whatever their own names', () => {
    const name = `é\u0100${'n'.repeat(15_000)}`;
    const nested = (levels: number): unknown => (levels === 0 ? '\u0000' : { [name]: nested(levels - 1) });
    const { refusal } = readText(JSON.stringify({ recipients: Array(6).fill({ to, surplus: nested(20) }) }));
    expect(refusal?.split('; ')).toHaveLength(5);
    expect(refusal?.length).toBeLessThan(1_500);
    expect(refusal).toMatch(/^`recipients\[0\]\.surplus\.é\u0100n{100,}…` must not contain the character NUL; /);
  });

  it('are refused, as is the rest, before they are read where that would cost much', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(readText(`{"recipients":[{"to":"${to}"},${deep}]}`).refusal).toBe(
      '`recipients[1]`: The body is nested deeper than 32 levels',
    );
    expect(() => readText(`{"recipients":[{"to":"${to}"}],"a":${deep}}`)).toThrow('deeper than 32');
    expect(() => readText(`{"recipients":[{"to":"${to}"}],"a":[${'0,'.repeat(10_100)}0]}`)).toThrow(
      /more than \d+ values/,
    );
    // Recipients are none of them.
    expect(readText(`{"recipients":[${`{"to":"${to}"},`.repeat(30_000)}{"to":"${to}"}]}`).refusal).toBeNull();
  });
});
