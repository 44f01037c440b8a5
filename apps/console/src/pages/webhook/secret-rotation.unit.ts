import { describe, expect, it } from '@jest/globals';
import type { AuditEntry } from '../../api/api.generated.js';
import { Problem } from '../../api/problem.js';
import { isRotationInDoubt, previousSignsUntil, rotateOnce, settleRotation } from './secret-rotation.js';

const failing = (status: number) => () => Promise.reject(new Problem(status, 'CODE', 'why', null));

describe('a rotation of a secret', () => {
  it('is in doubt until it is answered', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const made = rotateOnce('c1', () => promise);
    expect([isRotationInDoubt('c1'), isRotationInDoubt('c2')]).toEqual([true, false]);
    resolve('new');
    expect([await made, isRotationInDoubt('c1')]).toEqual(['new', false]);
  });

  it.each([
    [0, true],
    [503, true],
    [429, false],
    [404, false],
  ])('that fails with %i is in doubt: %s, until the present secret is seen', async (status, expected) => {
    await expect(rotateOnce('c1', failing(status))).rejects.toMatchObject({ status });
    expect(isRotationInDoubt('c1')).toBe(expected);
    settleRotation('c1');
    expect(isRotationInDoubt('c1')).toBe(false);
  });
});

describe('the secret before', () => {
  const entry = (after: object | null) => ({ after }) as AuditEntry;
  const rotated = (id: string, previousSecretValidUntil: string) => entry({ id, previousSecretValidUntil });

  it('signs as long as the last rotation of this webhook says', () => {
    const entries = [
      rotated('c1', '2026-01-02T00:00:00.000Z'),
      rotated('c1', '2026-01-01T00:00:00.000Z'),
      rotated('c2', '2026-01-03T00:00:00.000Z'),
      entry(null),
    ];
    const at = (time: string) => previousSignsUntil(entries, 'c1', Date.parse(time));
    expect(at('2026-01-01T12:00:00.000Z')).toBe('2026-01-02T00:00:00.000Z');
    expect(at('2026-01-02T00:00:00.000Z')).toBeNull();
  });
});
