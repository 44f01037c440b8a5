import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { legacyLocation } from './legacy-location.policy.js';

describe('paths of the old base', () => {
  it('never lead to another host, and keep their bytes', () => {
    expect(legacyLocation('/api/v1/a%2Fb?c=%20&d', '')).toBe('/v1/a%2Fb?c=%20&d');
    expect(legacyLocation('/api/v1?x', 'https://h')).toBe('https://h/v1?x');
    expect(legacyLocation('/api/v1/\u00c3\u00a9', '')).toBe('/v1/%C3%A9');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (tail) => {
        const location = legacyLocation(`/api/v1${tail}`, '');
        expect(legacyLocation(`http://evil.test/api/v1${tail}`, '')).toBe(location);
        if (location === null) return;
        expect(new URL(location, 'https://own.test').host).toBe('own.test');
        expect(location).toMatch(/^[\x21-\x7e]+$/);
      }),
    );
  });
});
