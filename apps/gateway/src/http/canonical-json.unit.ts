import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.policy.js';

const textOf = (json: string): string => canonicalJson(JSON.parse(json));

describe('the canonical text of a JSON value', () => {
  it('is the same for every order of fields and all white space', () => {
    expect(textOf('{"b": [1, {"d":2,"c":null}],\n "a":"x"}')).toBe('{"a":"x","b":[1,{"c":null,"d":2}]}');
    expect(textOf('{"a":1.0,"b":1e2,"c":-0,"d":"\\u0041"}')).toBe(textOf('{"d":"A","c":0,"b":100,"a":1}'));
  });

  it.each([
    ['[1,2]', '[2,1]'],
    ['{"a":null}', '{}'],
    ['{"a":"1"}', '{"a":1}'],
    ['{"a":1e400}', '{"a":null}'],
    ['{"a":{"b":1}}', '{"a":{},"b":1}'],
  ])('is another for %s and %s', (one, other) => {
    expect(textOf(one)).not.toBe(textOf(other));
  });

  it('is read as the value that it was made of', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
      }),
    );
  });
});
