import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hashOfKey, isPlausibleKey, mintKey } from './api-key.policy.js';

describe('API keys', () => {
  it('have their shape, carry a checksum that holds, and differ', () => {
    const keys = Array.from({ length: 200 }, () => mintKey());
    for (const { secret, prefix, hash } of keys) {
      expect(secret).toMatch(/^svc_live_[0-9A-Za-z]{38}$/);
      expect(isPlausibleKey(secret)).toBe(true);
      expect([prefix, hash]).toEqual([secret.slice(0, 12), hashOfKey(secret)]);
    }
    expect(new Set(keys.map(({ secret }) => secret)).size).toBe(keys.length);
  });

  it('end with the CRC-32 of their random part in base 62', () => {
    const { secret } = mintKey((length) => new Uint8Array(length));
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const checksum = secret
      .slice(-6)
      .split('')
      .reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
    expect(secret.slice(9, 41)).toBe('0'.repeat(32));
    expect(checksum).toBe(crc32OfReference('0'.repeat(32)));
  });

  it('with any one character of the random part mistyped are refused without a look-up', () => {
    const { secret } = mintKey();
    fc.assert(
      fc.property(fc.integer({ min: 9, max: 46 }), fc.constantFrom(...'0aZ9'), (at, letter) => {
        const mistyped = secret.slice(0, at) + letter + secret.slice(at + 1);
        expect(isPlausibleKey(mistyped)).toBe(mistyped === secret);
      }),
    );
  });

  it('of any other svc_ form are worth a look-up; what is none, or endless, is not', () => {
    expect(['svc_x', 'svc_live_short', `svc_test_${'a'.repeat(38)}`].map(isPlausibleKey)).toEqual([true, true, true]);
    expect(['', 'sk_live_x', 'SVC_x', `svc_${'a'.repeat(300)}`].map(isPlausibleKey)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

/** Source: RFC 1952, 8, bit by bit. */
function crc32OfReference(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
