import { describe, expect, it } from '@jest/globals';
import { readIdempotencyKey } from './idempotency-key.policy.js';

describe('an Idempotency-Key', () => {
  it.each(['a', 'a'.repeat(200), '"quoted"', 'with spaces, and ~all! the rest', '0'])('may be %p', (key) => {
    expect(readIdempotencyKey(['Host', 'x', 'idempotency-KEY', key])).toBe(key);
  });

  it.each([
    ['empty', ['']],
    ['longer than 200 characters', ['a'.repeat(201)]],
    ['beyond ASCII', ['caf\u00e9']],
    ['a tab', ['a\tb']],
    ['given twice', ['a', 'a']],
  ])('is refused when it is %s', (_what, values) => {
    const headers = values.flatMap((value) => ['Idempotency-Key', value]);
    const refused = expect.objectContaining({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining('`Idempotency-Key`'),
    });
    expect(() => readIdempotencyKey(headers)).toThrow(refused);
  });
});
