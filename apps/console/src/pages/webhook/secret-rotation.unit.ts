import { describe, expect, it } from '@jest/globals';
import type { AuditEntry } from '../../api/api.generated.js';
import { Problem } from '../../api/problem.js';
import { previousSignsUntil, rotateOnce, rotationOf, settleRotation, watchRotations } from './secret-rotation.js';

const failing = (status: number) => () => Promise.reject(new Problem(status, 'CODE', 'why', null));

describe('a rotation of a secret', () => {
  it('is under way until it is answered, and is counted then; what is seen meanwhile settles nothing', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    let changes = 0;
    const end = watchRotations(() => changes++);
    const made = rotateOnce('c1', () => promise);
    settleRotation('c1');
    expect([rotationOf('c1'), rotationOf('c2')]).toEqual([
      { state: 'pending', made: 0 },
      { state: 'idle', made: 0 },
    ]);
    resolve('new');
    expect([await made, rotationOf('c1'), changes]).toEqual(['new', { state: 'idle', made: 1 }, 2]);
    end();
  });

  it.each([
    [0, 'doubtful'],
    [503, 'doubtful'],
    [429, 'idle'],
    [404, 'idle'],
  ])('that fails with %i is %s, until the present secret is seen', async (status, state) => {
    const { made } = rotationOf('c1');
    await expect(rotateOnce('c1', failing(status))).rejects.toMatchObject({ status });
    expect(rotationOf('c1')).toEqual({ state, made });
    settleRotation('c1');
    expect(rotationOf('c1')).toEqual({ state: 'idle', made });
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
