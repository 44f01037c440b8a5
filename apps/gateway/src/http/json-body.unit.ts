import { describe, expect, it, jest } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import fc from 'fast-check';
import { parseJsonBody } from './json-body.policy.js';
import { jsonSizeOf } from './json-size.policy.js';

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

  it('name at most 200 characters of a path, and cut none of them', () => {
    const long = 'n😀'.repeat(5_000);
    const body = { a: { [long]: { [long]: ['\u0000'] } } };
    expect(() => parseJsonBody(Buffer.from(JSON.stringify(body)))).toThrow(
      new Error(`\`a.${'n😀'.repeat(66)}…\` must not contain the character NUL`),
    );
  });

  it.each([
    ['names', `{${Array.from({ length: 20_000 }, (_none, index) => `"${index}":0`).join()}}`, 'more than 10000 values'],
    ['elements', `{"a":[${'0,'.repeat(20_000)}0]}`, 'more than 10000 values'],
    [
      'empty objects within each other and side by side',
      `{"a":[${'[[{}]],'.repeat(4_000)}0]}`,
      'more than 10000 values',
    ],
    ['levels', `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'deeper than 32'],
    ['levels without an end', `{"a":${'['.repeat(200_000)}`, 'not well-formed'],
  ])('of very many %s are refused before they are read', (_what, text, refusal) => {
    const parse = jest.spyOn(JSON, 'parse');
    expect(() => parseJsonBody(Buffer.from(text))).toThrow(refusal);
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  it('may have 10,000 values, however long they are and whatever is in their texts', () => {
    const text = '\\"[{,'.repeat(10_000);
    expect(parseJsonBody(Buffer.from(JSON.stringify({ text, more: Array(9_000).fill(0) })))).toMatchObject({ text });
  });

  it('are never larger than they are counted', () => {
    const valuesOf = (value: unknown): number =>
      Object.values(Object(value) as object).reduce<number>(
        (sum, one) => sum + 1 + (typeof one === 'object' ? valuesOf(one) : 0),
        0,
      );
    const levelsOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsOf)) : 0;
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { values, depth, isClosed } = jsonSizeOf(Buffer.from(JSON.stringify(value)));
        expect(values).toBeGreaterThanOrEqual(typeof value === 'object' ? valuesOf(value) : 0);
        expect([depth, isClosed]).toEqual([levelsOf(value), true]);
      }),
    );
  });

  it('may be 32 levels deep', () => {
    const deep = (levels: number): Buffer => Buffer.from(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
    expect(() => parseJsonBody(deep(32))).not.toThrow();
    expect(() => parseJsonBody(deep(33))).toThrow('deeper than 32');
  });
});
