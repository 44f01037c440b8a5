import { describe, expect, it } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import fc from 'fast-check';
import { parseJsonBody } from './json-body.policy.js';

describe('JSON bodies', () => {
  it('come out as JSON.parse reads them when nothing in them is refused', () => {
    const text = fc
      .string({ unit: 'grapheme' })
      .filter((one) => !one.includes('\u0000') && one !== '__proto__' && one !== 'constructor');
    const json = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, text, fc.integer(), fc.boolean(), fc.constant(null), tie('object')),
      object: fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(json.object, (value) => {
        const bytes = Buffer.from(JSON.stringify(value));
        expect(parseJsonBody(bytes)).toEqual(JSON.parse(bytes.toString()));
      }),
    );
  });

  it('are refused with an AppError, and nothing else, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          parseJsonBody(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
      }),
    );
  });

  it('name the field that is refused, wherever it is', () => {
    const refusal = (text: string): string => {
      try {
        parseJsonBody(Buffer.from(text));
        return 'none';
      } catch (error) {
        return error instanceof Error ? error.message : 'no error';
      }
    };
    expect(refusal('{"a":[1,{"b":{"c":[["x"],["\\u0000"]]}}]}')).toBe(
      '`a[1].b.c[1][0]` must not contain the character NUL',
    );
    expect(refusal('{"a":{"\\ud800":1}}')).toBe('`a` must not contain lone surrogates');
    expect(refusal('{"\\u0000":1}')).toBe('`the body` must not contain the character NUL');
    expect(refusal('{"a":[{"__proto__":1}]}')).toBe('`__proto__` is not allowed as the name of a field');
  });

  it('may be 32 levels deep', () => {
    const deep = (levels: number): Buffer => Buffer.from(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
    expect(() => parseJsonBody(deep(32))).not.toThrow();
    expect(() => parseJsonBody(deep(33))).toThrow('deeper than 32');
  });
});
