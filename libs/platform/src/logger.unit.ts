import { describe, expect, it } from '@jest/globals';
import { createLog } from './logger.js';

const canary = '+14155550142';

function logged(error: unknown): { text: string; error: { name: string; message: string; stack: string } } {
  const lines: string[] = [];
  createLog('test', { write: (line) => void lines.push(line) }).error('failed', error);
  const text = lines.join('');
  return { text, error: (JSON.parse(text) as { error: { name: string; message: string; stack: string } }).error };
}

function databaseError(code: string, message: string): Error {
  const fields = { severity: 'ERROR', detail: `Key (phone)=(${canary}) exists`, where: `parameter $1 = '${canary}'` };
  return Object.assign(new Error(message), { code, ...fields });
}

describe('an error in the log', () => {
  it('has its name, message, code, stack and causes', () => {
    const { text, error } = logged(new Error('outer', { cause: databaseError('23505', 'duplicate key') }));
    expect(error).toMatchObject({ name: 'Error', message: 'outer', stack: expect.stringContaining('logger.unit') });
    expect(error).toMatchObject({ cause: { message: 'duplicate key', code: '23505' } });
    expect(text).not.toContain(canary);
  });

  it.each([
    ['JSON that could not be read', () => caught(() => JSON.parse(`canary ${canary}`))],
    ['a part of JSON that could not be read', () => caught(() => JSON.parse(`{"to":${canary}}`))],
    ['a number that is none', () => caught(() => BigInt(`${canary} x`))],
    ['a value that PostgreSQL could not take', () => databaseError('22P02', `invalid input syntax: "${canary}"`)],
    [
      'such a one as a cause',
      () => new Error('outer', { cause: databaseError('22003', `"${canary}" is out of range`) }),
    ],
  ])('does not quote %s, and still says where it happened', (_what, make) => {
    const { text, error } = logged(make());
    expect(text).not.toContain(canary.slice(1, 8));
    expect(error.stack).toContain('logger.unit');
  });
});

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
