import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { readWholeBody } from './whole-body.js';

/** What becomes of a body in these chunks, or of one whose connection breaks behind them. */
async function read(
  chunks: readonly Buffer[],
  { bytesMax = 1_024 * 1_024, broken }: { bytesMax?: number; broken?: Error } = {},
): Promise<Buffer | string> {
  const stream = new PassThrough();
  const result = Promise.withResolvers<Buffer | string>();
  const share = { take: () => null };
  readWholeBody(stream, { bytesMax, share }, (error, bytes) => result.resolve(error?.code ?? bytes ?? 'nothing'));
  for (const chunk of chunks) stream.write(chunk);
  if (broken) stream.destroy(broken);
  else stream.end();
  return result.promise;
}

const each = (count: number, text: string): Buffer[] => Array.from({ length: count }, () => Buffer.from(text));

describe('a body', () => {
  it('is the one chunk that it came in, and otherwise its chunks in their order', async () => {
    const [only] = each(1, '{"a":1}');
    expect(await read(only ? [only] : [])).toBe(only);
    const words = Array.from({ length: 3_000 }, (_none, index) => Buffer.from(`${index} `));
    expect(String(await read(words))).toBe(words.join(''));
    expect(await read([])).toEqual(Buffer.alloc(0));
  });

  it('may be as large as its limit', async () => {
    expect(await read(each(4, 'aa'), { bytesMax: 8 })).toHaveLength(8);
    expect(await read(each(5, 'aa'), { bytesMax: 8 })).toBe('PAYLOAD_TOO_LARGE');
  });

  it('may come in 10,000 chunks of a byte, in more only of four bytes on average', async () => {
    expect(await read(each(10_000, 'a'))).toHaveLength(10_000);
    expect(await read(each(14_000, 'a'))).toBe('VALIDATION_FAILED');
    expect(await read(each(50_000, 'abcd'))).toHaveLength(200_000);
  });

  it('that is given up takes no more, and is read to nothing', async () => {
    const stream = new PassThrough();
    const [take, done] = [jest.fn(() => null), jest.fn()];
    const stop = readWholeBody(stream, { bytesMax: 100, share: { take } }, done);
    stream.write('a');
    await turn();
    stop();
    stream.end('b');
    await once(stream, 'end');
    expect([take.mock.calls, done.mock.calls]).toEqual([[[1]], []]);
  });

  it('is malformed when its connection breaks: that is no dependency of ours', async () => {
    const broken = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    expect(await read(each(1, '{"a"'), { broken })).toBe('MALFORMED_BODY');
  });
});
